import { setTimeout as sleep } from 'node:timers/promises';
import { normaliseEmail } from '@agent-fleet/shared/identity/email';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { Cluster } from 'ioredis';
import { z } from 'zod';
import { createId } from '../ids.ts';
import type { IdentityContext } from '../redis/context.ts';
import { newUser } from '../users/user-record.ts';
import type { UserStore } from '../users/user-store.ts';
import { byService } from './by-service.ts';

const SCAN_COUNT = 1_000;
/** `appendfsync everysec` has written to the disk by then. */
const FSYNC_MS = 2_000;

/** A user of version 1.0: a string `<prefix>:user:<e-mail>`. */
const oldUser = z.object({
  email: z.string().transform(normaliseEmail).pipe(z.string()),
  password_hash: z.string(),
  created_at: z.iso.datetime(),
});

/**
 * Moves the users of version 1.0, all as admins: in 1.0, every user could do everything. Returns how many were found.
 * The old keys are deleted once the new ones are on the disk, as they may be on other nodes.
 */
export async function moveUsers(context: IdentityContext, users: UserStore, prefix: string): Promise<number> {
  const { redis, durable } = context;
  const moved: string[] = [];
  for (const key of await findKeys(redis, `${prefix}:user:*`)) {
    if (await copyUser(context, users, key)) moved.push(key);
  }
  if (moved.length === 0) return 0;
  await (redis.isCluster ? sleep(FSYNC_MS) : durable());
  for (const key of moved) await redis.del(key);
  return moved.length;
}

/** False when the key must stay, or is gone: another replica moves them too. */
async function copyUser({ redis, keys, logger, commit }: IdentityContext, users: UserStore, key: string) {
  const text = await redis.get(key);
  if (text === null) return false;
  const { data: old } = oldUser.safeParse(parseJson(text));
  if (old === undefined) {
    logger.warn({ key }, 'this key of version 1.0 is no valid user; it stays');
    return false;
  }
  const { email, password_hash, created_at } = old;
  const id = createId(Date.parse(created_at));
  const user = newUser({ id, email, role: 'admin', password_hash });
  const added = users.toAdd({ ...user, created_at, tokens_valid_after: 0 });
  // Not when another replica has completed the migration: the user may have been deleted since.
  const checks: typeof added.checks = [['value', keys.layout, null], ...added.checks];
  const failed = await commit({ ...added, checks, audit: [byService('user.created', id)] });
  return failed?.[1] !== keys.layout;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The keys on all masters. @throws when a master of the cluster is not known at the moment */
async function findKeys(redis: RedisClient, pattern: string): Promise<string[]> {
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  if (redis instanceof Cluster) {
    const [, size] = /cluster_size:(\d+)/.exec(String(await redis.cluster('INFO'))) ?? [];
    if (masters.length < Number(size)) throw new Error('Not all masters of the cluster are connected');
  }
  const found = await Promise.all(
    masters.map(async (master) => {
      const keys: string[] = [];
      let cursor = '0';
      do {
        const [next, some] = await master.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        keys.push(...some);
        cursor = next;
      } while (cursor !== '0');
      return keys;
    }),
  );
  return [...new Set(found.flat())];
}
