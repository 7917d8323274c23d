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

/** The result moves the reply to a request with an `Idempotency-Key`. */
export function createMoveReply({ redis, old, keys, write }: Context) {
  /**
   * The reply to a request whose process crashed. The next request with the key takes over the creation of tasks, under
   * the same ids, but an agent that exists cannot be created again.
   */
  async function findReply({ id, at }: Kept): Promise<string> {
    const agent = await redis.hmget(keys.of('agent', id), 'head', 'status', 'tail');
    return agent.join('') || `@${id} ${at}`;
  }

  return async (digest: string): Promise<void> => {
    const [text, lifetimeMs] = await Promise.all([redis.get(old.reply(digest)), redis.pttl(old.reply(digest))]);
    if (text === null || lifetimeMs <= 0) return;
    const kept = JSON.parse(text) as Kept;
    const value = `${kept.body} ${kept.reply?.json ?? (await findReply(kept))}`;
    await write([['SET', keys.of('idempotency', digest), value, 'PX', lifetimeMs]]);
  };
}
