import type { IdentityKeys } from '@agent-fleet/shared/identity/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { redisTime as timeOf } from '@agent-fleet/shared/redis/time';
import type { IdentityMetrics } from '../metrics/identity-metrics.ts';
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
  metrics: IdentityMetrics;
}

/** The time of Redis in ms since the epoch, with a fraction: all replicas agree on it. */
export function redisTime(redis: RedisClient): Promise<number> {
  return timeOf(redis, '{auth}');
}
