import { BROWSER_IDLE_MS, type SessionRecord } from '@agent-fleet/shared/identity/records';
import type { Check, Write } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';

/** A user has at most this many sessions; a further one ends the oldest. */
const MAX_SESSIONS = 100;
/** Twice the longest life of an access token: not even a clock of Redis that is ahead ends a revocation too early. */
export const REVOKED_MS = 2 * 86_400_000;

/** A part of a write. */
export type WritePart = Required<Pick<Write, 'commands' | 'changes'>>;

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Sessions: families of refresh tokens, and those of browsers. The parts of writes are for `commit`. */
export function createSessionStore({ redis, keys }: IdentityContext) {
  async function read(sessionId: string): Promise<SessionRecord | undefined> {
    const text = await redis.get(keys.session(sessionId));
    return text === null ? undefined : (JSON.parse(text) as SessionRecord);
  }

  /** The sessions of a user that have not ended, oldest first. */
  async function list(userId: string): Promise<SessionRecord[]> {
    const ids = await redis.zrange(keys.userSessions(userId), 0, '-1');
    const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.session));
    return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as SessionRecord]));
  }

  function toEnd({ id, user_id, hash }: SessionRecord): WritePart {
    const { commands, changes } = toRevoke(id);
    return {
      commands: [
        ['DEL', keys.session(id), keys.sessionHash(hash), keys.used(id)],
        ['ZREM', keys.userSessions(user_id), id],
        ...commands,
      ],
      changes,
    };
  }

  /** A browser's session ends when this key expires; gateways renew it at each use. */
  function toUse(id: string) {
    return ['SET', keys.used(id), Date.now(), 'PX', BROWSER_IDLE_MS];
  }

  /** Ends the access tokens of a session, stored or not. */
  function toRevoke(sessionId: string): WritePart {
    return {
      commands: [['SET', keys.revoked(sessionId), '1', 'PX', REVOKED_MS]],
      changes: [`session:${sessionId}`],
    };
  }

  return {
    read,
    list,
    toEnd,
    toRevoke,

    /** Fails when the session has changed since it was read, or, when there was none, exists. */
    toUnchanged: (sessionId: string, session: SessionRecord | undefined): Check => [
      'value',
      keys.session(sessionId),
      session ? JSON.stringify(session) : null,
    ],

    /** Stores a session, new or changed, until `untilMs`. */
    toStore(session: SessionRecord, untilMs: number): WritePart['commands'] {
      const { id, user_id, kind, hash } = session;
      const until = Math.ceil(untilMs);
      return [
        ['SET', keys.session(id), JSON.stringify(session), 'PXAT', until],
        ['ZADD', keys.userSessions(user_id), 0, id],
        ...(kind === 'browser' ? [['SET', keys.sessionHash(hash), id, 'PXAT', until], toUse(id)] : []),
      ];
    },

    /** Ends the oldest sessions of a user that has too many for another one, and forgets those that have expired. */
    async toMakeRoom(userId: string): Promise<WritePart> {
      const sessions = await list(userId);
      const live = new Set(sessions.map(({ id }) => id));
      const ids = await redis.zrange(keys.userSessions(userId), 0, '-1');
      const gone = ids.filter((id) => !live.has(id));
      const ended = sessions.slice(0, Math.max(0, sessions.length - MAX_SESSIONS + 1)).map(toEnd);
      const commands = ended.flatMap((part) => part.commands);
      if (gone.length > 0) commands.push(['ZREM', keys.userSessions(userId), ...gone]);
      return { commands, changes: ended.flatMap((part) => part.changes) };
    },

    /** Ends all sessions of a user but `except`. */
    async toEndAll(userId: string, except?: string | null): Promise<WritePart> {
      const ended = (await list(userId)).filter(({ id }) => id !== except).map(toEnd);
      return { commands: ended.flatMap(({ commands }) => commands), changes: ended.flatMap(({ changes }) => changes) };
    },
  };
}
