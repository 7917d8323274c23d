import type { RedisClient } from '@agent-fleet/shared/redis/connection';

interface User {
  email: string;
  /** argon2id, in PHC form. */
  password_hash: string;
  created_at: string;
}

/** Users by their normalised e-mail address, which is also the `sub` of their tokens. */
export interface Users {
  find(email: string): Promise<User | undefined>;
  /** False when the user exists already and stays as it is; of concurrent callers one wins. */
  add(user: User): Promise<boolean>;
  /** Removes a user and notifies every replica, so that the user's tokens become invalid at once. */
  remove(email: string): Promise<void>;
}

function userKey(prefix: string, email: string): string {
  return `${prefix}:user:${email}`;
}

/** The channel that notifies all replicas of changed users; the message is the user's e-mail address. */
export function userChangeChannel(prefix: string): string {
  return `${prefix}:user-changes`;
}

/** One string a user: the record as JSON under `<prefix>:user:<e-mail>`, without a lifetime. */
export function createUsers(redis: RedisClient, prefix: string): Users {
  return {
    async find(email) {
      const record = await redis.get(userKey(prefix, email));
      return record === null ? undefined : (JSON.parse(record) as User);
    },
    async add(user) {
      return (await redis.set(userKey(prefix, user.email), JSON.stringify(user), 'NX')) === 'OK';
    },
    async remove(email) {
      await redis.del(userKey(prefix, email));
      await redis.publish(userChangeChannel(prefix), email);
    },
  };
}
