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

const TIME_SCRIPT = "return redis.call('TIME')";

/** The time of Redis in ms since the epoch, with a fraction: all replicas agree on it. */
export async function redisTime(redis: RedisClient): Promise<number> {
  // In a cluster, TIME itself goes to any node: not always to that of the records, and their clocks may differ.
  const reply = redis.isCluster ? await redis.eval(TIME_SCRIPT, 1, '{auth}') : await redis.time();
  const [seconds, micros] = reply as [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
