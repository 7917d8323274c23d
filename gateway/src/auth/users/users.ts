import type { RedisClient } from '@agent-fleet/shared/redis/connection';

interface User {
  email: string;
  /** argon2id, in PHC form. */
  password_hash: string;
  created_at: string;
}

export type Users = ReturnType<typeof createUsers>;

/** The channel that notifies all replicas of changed users; the message is the user's e-mail address. */
export function userChangeChannel(prefix: string): string {
  return `${prefix}:user-changes`;
}

/**
 * Users by their normalised e-mail address, which is also the `sub` of their tokens. One string a user: the record as
 * JSON under `<prefix>:user:<e-mail>`, without a lifetime.
 */
export function createUsers(redis: RedisClient, prefix: string) {
  const keyOf = (email: string) => `${prefix}:user:${email}`;
  return {
    async find(email: string): Promise<User | undefined> {
      const record = await redis.get(keyOf(email));
      return record === null ? undefined : JSON.parse(record);
    },
    /** False when the user exists already and stays as it is; of concurrent callers one wins. */
    async add(user: User): Promise<boolean> {
      return (await redis.set(keyOf(user.email), JSON.stringify(user), 'NX')) === 'OK';
    },
  };
}
