import type { Page } from '@agent-fleet/shared/contract/paging';
import type { UserRecord } from '@agent-fleet/shared/identity/records';
import type { Check, Write } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import { toTextThatEndsTokens } from './user-record.ts';

export const MAX_USERS = 10_000;

/** A user as read: `text` is what Redis has, for the check that it is still the same. */
export interface StoredUser {
  record: UserRecord;
  text: string;
}

/** A part of a write: its changes name the user. */
export type UserPart = Required<Pick<Write, 'checks' | 'commands' | 'changes'>>;

export type UserStore = ReturnType<typeof createUserStore>;

/** Users by id and by normalised e-mail address. The parts of writes are for `commit`. */
export function createUserStore({ redis, keys }: IdentityContext) {
  async function read(userId: string): Promise<StoredUser | undefined> {
    const text = await redis.get(keys.user(userId));
    return text === null ? undefined : { record: JSON.parse(text) as UserRecord, text };
  }

  /** Fails when the e-mail address is taken. */
  function toAdd(user: UserRecord): UserPart {
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

  return {
    read,

    /** `email` as `normaliseEmail` returns it. */
    async findByEmail(email: string): Promise<StoredUser | undefined> {
      const userId = await redis.get(keys.userEmail(email));
      return userId === null ? undefined : read(userId);
    },

    /** The users of a page, oldest first, and the number of all. */
    async list({ skip, limit }: Page): Promise<{ users: UserRecord[]; total: number }> {
      const [ids, total] = await Promise.all([
        redis.zrange(keys.users, skip, `${skip + limit - 1}`),
        redis.zcard(keys.users),
      ]);
      const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.user));
      return { users: texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as UserRecord])), total };
    },

    toAdd,

    /** Fails when the e-mail address is taken, or at `MAX_USERS`. */
    toCreate(user: UserRecord): UserPart {
      const { checks, ...part } = toAdd(user);
      return { ...part, checks: [...checks, ['below', keys.users, MAX_USERS]] };
    },

    /**
     * Fails when the user has changed since it was read, or was the last enabled admin and no longer is one.
     * `endsTokens`: those made before the write, except those of the kept session.
     */
    toReplace(before: StoredUser, user: UserRecord, endsTokens: boolean): UserPart {
      const text = endsTokens ? toTextThatEndsTokens(user) : JSON.stringify(user);
      const commands: Write['commands'] = [['SET', keys.user(user.id), text]];
      if (isEnabledAdmin(user)) commands.push(['SADD', keys.admins, user.id]);
      else if (isEnabledAdmin(before.record)) commands.push(['SREM', keys.admins, user.id]);
      return { checks: toChecks(before, isEnabledAdmin(user)), commands, changes: [`user:${user.id}`] };
    },

    /** Fails when the user has changed since it was read. */
    toKeep: (user: StoredUser): Check[] => toChecks(user, true),

    /** Fails when the user has changed since it was read, or is the last enabled admin. */
    toDelete(before: StoredUser): UserPart {
      const { id, email } = before.record;
      return {
        checks: toChecks(before, false),
        commands: [
          ['DEL', keys.user(id), keys.userEmail(email)],
          ['ZREM', keys.users, id],
          ['SREM', keys.admins, id],
        ],
        changes: [`user:${id}`],
      };
    },
  };

  function toChecks({ record, text }: StoredUser, staysAdmin: boolean): Check[] {
    const unchanged: Check = ['value', keys.user(record.id), text];
    // In this order: the number of admins counts only for a user that was read as it is.
    return isEnabledAdmin(record) && !staysAdmin ? [unchanged, ['at least', keys.admins, 2]] : [unchanged];
  }
}

/** A user as clients see it: without the hash of the password. */
export function toServed({ id, email, role, disabled, created_at, last_sign_in_at }: UserRecord) {
  return { id, email, role, disabled, created_at, last_sign_in_at };
}

function isEnabledAdmin({ role, disabled }: UserRecord): boolean {
  return role === 'admin' && !disabled;
}
