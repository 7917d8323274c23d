import type { IdentityKeys } from '@agent-fleet/access/keys';
import type { UserRecord } from '@agent-fleet/access/records';
import type { Page } from '@agent-fleet/shared/contract/paging';
import { timeOfId } from '@agent-fleet/shared/ids';
import type { RedisReads } from '@agent-fleet/shared/redis/store';
import type { Check, TimedText, WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';

export const MAX_USERS = 10_000;

/** A user as read: `text` is what Redis has, for the check that it is still the same. */
export interface StoredUser {
  record: UserRecord;
  text: string;
}

/** Users by id and by normalised e-mail address. The parts of writes name the user as changed. */
export class UserStore {
  readonly #redis: RedisReads;
  readonly #keys: IdentityKeys;

  constructor({ redis, keys }: Pick<IdentityContext, 'redis' | 'keys'>) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async read(userId: string): Promise<StoredUser | undefined> {
    const text = await this.#redis.get(this.#keys.user(userId));
    return text === null ? undefined : { record: JSON.parse(text) as UserRecord, text };
  }

  /** `email` as `normaliseEmail` returns it. */
  async findByEmail(email: string): Promise<StoredUser | undefined> {
    const userId = await this.#redis.get(this.#keys.userEmail(email));
    return userId === null ? undefined : this.read(userId);
  }

  /** The users of a page, oldest first, and the number of all. */
  async list({ skip, limit }: Page): Promise<{ users: UserRecord[]; total: number }> {
    const [redis, keys] = [this.#redis, this.#keys];
    const [ids, total] = await Promise.all([
      redis.zrange(keys.users, skip, `${skip + limit - 1}`),
      redis.zcard(keys.users),
    ]);
    const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.user));
    return { users: texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as UserRecord])), total };
  }

  /** Fails when the e-mail address is taken. */
  toAdd(user: UserRecord): WritePart {
    const keys = this.#keys;
    return {
      checks: [['value', keys.userEmail(user.email), null]],
      commands: [
        ['SET', keys.user(user.id), JSON.stringify(user)],
        ['SET', keys.userEmail(user.email), user.id],
        ['ZADD', keys.users, 0, user.id],
        ...(isEnabledAdmin(user) ? [['SADD', keys.admins, user.id]] : []),
      ],
      changes: [`user:${user.id}`],
    };
  }

  /** Fails when the e-mail address is taken, or at `MAX_USERS`. */
  toCreate(user: UserRecord): WritePart {
    const { checks = [], ...part } = this.toAdd(user);
    return { ...part, checks: [...checks, ['below', this.#keys.users, MAX_USERS]] };
  }

  /**
   * Fails when the user has changed since it was read, or was the last enabled admin and no longer is one.
   * `endsTokens`: those made before the write, except those of the kept session.
   */
  toReplace(before: StoredUser, user: UserRecord, endsTokens: boolean): WritePart {
    const { admins, user: toKey } = this.#keys;
    const text = endsTokens ? toTextThatEndsTokens(user) : JSON.stringify(user);
    const isAdmin = isEnabledAdmin(user);
    return {
      checks: this.#toChecks(before, isAdmin),
      commands: [
        ['SET', toKey(user.id), text],
        [isAdmin ? 'SADD' : 'SREM', admins, user.id],
      ],
      changes: [`user:${user.id}`],
    };
  }

  /** Fails when the user has changed since it was read. */
  toKeep({ record, text }: StoredUser): Check {
    return ['value', this.#keys.user(record.id), text];
  }

  /** Fails when the user has changed since it was read, or is the last enabled admin. */
  toDelete(before: StoredUser): WritePart {
    const keys = this.#keys;
    const { id, email } = before.record;
    return {
      checks: this.#toChecks(before, false),
      commands: [
        ['DEL', keys.user(id), keys.userEmail(email)],
        ['ZREM', keys.users, id],
        ['SREM', keys.admins, id],
      ],
      changes: [`user:${id}`],
    };
  }

  #toChecks(user: StoredUser, staysAdmin: boolean): Check[] {
    const unchanged = this.toKeep(user);
    // In this order: the number of admins counts only for a user that was read as it is.
    return isEnabledAdmin(user.record) && !staysAdmin ? [unchanged, ['at least', this.#keys.admins, 2]] : [unchanged];
  }
}

/**
 * A user who has not signed in yet. The id has the time of creation: tokens of an earlier user with the same address
 * are not valid.
 */
export function newUser(user: Pick<UserRecord, 'id' | 'email' | 'role' | 'password_hash'>): UserRecord {
  const createdAt = timeOfId(user.id);
  return {
    ...user,
    disabled: false,
    created_at: createdAt.toISOString(),
    last_sign_in_at: null,
    tokens_valid_after: createdAt.getTime(),
    kept_session: null,
  };
}

/**
 * The text of a user whose tokens end that were made before it is written, except those of the kept session. The next
 * whole millisecond: two sign-ins in one leave the same record, so that its check does not notice the second.
 */
function toTextThatEndsTokens({ tokens_valid_after: _, ...user }: UserRecord): TimedText {
  return [`${JSON.stringify(user).slice(0, -1)},"tokens_valid_after":`, '}'];
}

function isEnabledAdmin({ role, disabled }: UserRecord): boolean {
  return role === 'admin' && !disabled;
}
