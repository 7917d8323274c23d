import { createIdentityKeys, type IdentityKeys } from '@agent-fleet/shared/identity/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { type Barrier, createBarrier } from '@agent-fleet/shared/redis/barrier';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { redisTime as timeOf } from '@agent-fleet/shared/redis/time';
import type { Registry } from 'prom-client';
import type { IdentityConfig } from '../config.ts';
import { type Commit, createCommit } from './commit.ts';
import { createDurable, type Durable } from './durable.ts';

/** What the parts of the service share. */
export interface IdentityContext {
  redis: RedisClient;
  keys: IdentityKeys;
  logger: Logger;
  commit: Commit;
  /** Call it after a write that takes something away, before it is acknowledged. */
  durable: Durable;
  barrier: Barrier;
  /** Of the metrics. */
  registry: Registry;
}

/** Connects to Redis. */
export function createContext(
  { redis: { url, prefix, minReplicas } }: IdentityConfig,
  logger: Logger,
  registry: Registry,
) {
  const redis = connectRedis(url, logger, { minReplicas, holdsReads: true });
  createRedisMetrics(registry).measure(redis);
  const keys = createIdentityKeys(prefix);
  const barrier = createBarrier(redis, keys.replicated, minReplicas);
  const { durable, close: closeDurable } = createDurable(url, keys.durable, barrier, logger);
  const context: IdentityContext = {
    redis,
    keys,
    logger,
    commit: createCommit(redis, keys),
    durable,
    barrier,
    registry,
  };
  return {
    context,
    close(): void {
      closeDurable();
      redis.disconnect();
    },
  };
}

/** The time of Redis in ms since the epoch, with a fraction: all replicas agree on it. */
export function redisTime(redis: RedisClient): Promise<number> {
  return timeOf(redis, '{auth}');
}
