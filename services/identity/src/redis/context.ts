import type { IdentityKeys } from '@agent-fleet/shared/identity/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Commit } from './commit.ts';
import type { Durable } from './durable.ts';

/** What the parts of the service share. */
export interface IdentityContext {
  redis: RedisClient;
  keys: IdentityKeys;
  logger: Logger;
  commit: Commit;
  /** Call it after a write that takes something away, before it is acknowledged. */
  durable: Durable;
}

/** The time of Redis in ms since the epoch, with a fraction: all replicas agree on it. */
export async function redisTime(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
