import type { Context } from './keys.ts';

/** What 1.0 kept of a request with an `Idempotency-Key`. */
interface Kept {
  /** Digest of the body. */
  body: string;
  /** Id of the record that the request creates. */
  id: string;
  /** Start of the request in ms. */
  at: number;
  /** Null while the request is in progress. */
  reply: { json: string } | null;
}

/**
 * The result moves what is kept of a request with an `Idempotency-Key`: its reply, or its claim, with which the next
 * request goes on under the same id.
 */
export function createMoveReply({ redis, old, keys, write }: Context) {
  return async (digest: string): Promise<void> => {
    const [text, lifetimeMs] = await Promise.all([redis.get(old.reply(digest)), redis.pttl(old.reply(digest))]);
    if (text === null || lifetimeMs <= 0) return;
    const { body, id, at, reply } = JSON.parse(text) as Kept;
    const value = `${body} ${reply ? reply.json : `@${JSON.stringify({ id, at })}`}`;
    await write([['SET', keys.of('idempotency', digest), value, 'PX', lifetimeMs]]);
  };
}
