import type { WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';

export const RESET_MS = 3_600_000;

export type ResetStore = ReturnType<typeof createResetStore>;

/** Reset codes by their SHA-256; a user has one at most. The parts of writes are for `commit`. */
export function createResetStore({ redis, keys }: IdentityContext) {
  /** Removes the code of a user, if any. Fails when another one came since. */
  async function toVoid(userId: string): Promise<WritePart> {
    const digest = await redis.get(keys.userReset(userId));
    return {
      checks: [['value', keys.userReset(userId), digest]],
      commands: digest === null ? [] : [['DEL', keys.userReset(userId), keys.reset(digest)]],
    };
  }

  return {
    toVoid,

    /** The id of the user whose code has this SHA-256. */
    findUser: (digest: string) => redis.get(keys.reset(digest)),

    /** Stores a code for an hour, in place of the one before. */
    async toCreate(userId: string, digest: string): Promise<WritePart> {
      const { checks, commands = [] } = await toVoid(userId);
      return {
        checks,
        commands: [
          ...commands,
          ['SET', keys.reset(digest), userId, 'PX', RESET_MS],
          ['SET', keys.userReset(userId), digest, 'PX', RESET_MS],
        ],
      };
    },

    /** Fails when the code was used or replaced since. */
    toUse(userId: string, digest: string): WritePart {
      return {
        checks: [['value', keys.reset(digest), userId]],
        commands: [['DEL', keys.reset(digest), keys.userReset(userId)]],
      };
    },
  };
}
