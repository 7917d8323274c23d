import type { IdentityKeys } from '@agent-fleet/access/keys';
import { BROWSER_IDLE_MS, type SessionRecord, type UserRecord } from '@agent-fleet/access/records';
import type { RedisReads } from '@agent-fleet/shared/redis/store';
import type { Check, WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';

/** A user has at most this many sessions; a further one ends the oldest. */
const MAX_SESSIONS = 100;
/** A family of refresh tokens ends after this time without a refresh. */
const REFRESH_IDLE_MS = 7 * 86_400_000;
/** Twice the longest life of an access token: not even a clock of Redis that is ahead ends a revocation too early. */
export const REVOKED_MS = 2 * 86_400_000;

/** Sessions: families of refresh tokens, and those of browsers. The parts of writes name those that end. */
export class SessionStore {
  readonly #redis: RedisReads;
  readonly #keys: IdentityKeys;

  constructor({ redis, keys }: Pick<IdentityContext, 'redis' | 'keys'>) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async read(sessionId: string): Promise<SessionRecord | undefined> {
    const text = await this.#redis.get(this.#keys.session(sessionId));
    return text === null ? undefined : (JSON.parse(text) as SessionRecord);
  }

  /** The sessions of a user that have not ended, oldest first. */
  async list(userId: string): Promise<SessionRecord[]> {
    return (await this.#readAll(userId)).sessions;
  }

  /** When each session was last used as gateways report it, in ms; null for a browser's session that has ended. */
  async readUsed(ids: string[]): Promise<(number | null)[]> {
    const texts = ids.length === 0 ? [] : await this.#redis.mget(ids.map(this.#keys.used));
    return texts.map((text) => (text === null ? null : Number(text)));
  }

  /** Fails when the session has changed since it was read. */
  toKeep(session: SessionRecord): Check {
    return ['value', this.#keys.session(session.id), JSON.stringify(session)];
  }

  /** Stores a session, new or changed, which is used now. */
  toStore(session: SessionRecord, nowMs: number): WritePart {
    const keys = this.#keys;
    const { id, user_id, kind, hash, expires_at } = session;
    const endMs = Date.parse(expires_at);
    const until = Math.ceil(kind === 'refresh' ? Math.min(nowMs + REFRESH_IDLE_MS, endMs) : endMs);
    const ofBrowser = [
      ['SET', keys.sessionHash(hash), id, 'PXAT', until],
      // The session ends when this key expires; gateways renew it at each use.
      ['SET', keys.used(id), Date.now(), 'PX', BROWSER_IDLE_MS],
    ];
    const commands = [
      ['SET', keys.session(id), JSON.stringify(session), 'PXAT', until],
      ['ZADD', keys.userSessions(user_id), 0, id],
    ];
    return { commands: kind === 'browser' ? [...commands, ...ofBrowser] : commands };
  }

  /** Ends the access tokens of a session that is not stored. Fails when it is. */
  toRevoke(sessionId: string): WritePart {
    return {
      checks: [['value', this.#keys.session(sessionId), null]],
      commands: [this.#toSetRevoked(sessionId)],
      changes: [`session:${sessionId}`],
    };
  }

  /** Fails when the session has changed since it was read. */
  toEnd(session: SessionRecord): WritePart {
    return { checks: [this.toKeep(session)], ...this.#toEndAnyway(session) };
  }

  /** Ends all sessions of a user but `except`. */
  async toEndAll(userId: string, except?: string | null): Promise<WritePart[]> {
    const ended = (await this.list(userId)).filter(({ id }) => id !== except);
    return ended.map((session) => this.#toEndAnyway(session));
  }

  /** Ends the oldest sessions of a user that has too many for another one, and forgets those that have expired. */
  async toMakeRoom(userId: string): Promise<{ parts: WritePart[]; endedIds: string[] }> {
    const { sessions, gone } = await this.#readAll(userId);
    const ended = sessions.slice(0, Math.max(0, sessions.length - MAX_SESSIONS + 1));
    const parts = ended.map((session) => this.#toEndAnyway(session));
    if (gone.length > 0) parts.push({ commands: [['ZREM', this.#keys.userSessions(userId), ...gone]] });
    return { parts, endedIds: ended.map(({ id }) => id) };
  }

  #toEndAnyway({ id, user_id, hash }: SessionRecord): WritePart {
    const keys = this.#keys;
    return {
      commands: [
        ['DEL', keys.session(id), keys.sessionHash(hash), keys.used(id)],
        ['ZREM', keys.userSessions(user_id), id],
        this.#toSetRevoked(id),
      ],
      changes: [`session:${id}`],
    };
  }

  #toSetRevoked(sessionId: string) {
    return ['SET', this.#keys.revoked(sessionId), '1', 'PX', REVOKED_MS];
  }

  /** The sessions of a user, oldest first. `gone`: ids of those that have ended. */
  async #readAll(userId: string): Promise<{ sessions: SessionRecord[]; gone: string[] }> {
    const ids = await this.#redis.zrange(this.#keys.userSessions(userId), 0, '-1');
    const texts = ids.length === 0 ? [] : await this.#redis.mget(ids.map(this.#keys.session));
    return {
      sessions: texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as SessionRecord])),
      gone: ids.filter((_id, at) => texts[at] === null),
    };
  }
}

/** Whether the user, as it is now, leaves a session valid. */
export function isAllowed({ id, created_at }: SessionRecord, user: UserRecord | undefined): user is UserRecord {
  if (!user || user.disabled) return false;
  return id === user.kept_session || Date.parse(created_at) >= user.tokens_valid_after;
}
