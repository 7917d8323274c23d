import { createIdentityKeys, type IdentityKeys } from '@agent-fleet/access/keys';
import type { Logger } from '@agent-fleet/shared/logger';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { redisTime as timeOf } from '@agent-fleet/shared/redis/script';
import { checkRedis, openStore, type RedisReads, type RedisStore } from '@agent-fleet/shared/redis/store';
import type { Registry } from 'prom-client';
import type { IdentityConfig } from '../config.ts';
import { type Commit, createCommit } from './commit.ts';
import { createDurable, type Durable } from './durable.ts';

/** What the parts of the service share. */
export interface IdentityContext extends RedisStore {
  keys: IdentityKeys;
  logger: Logger;
  commit: Commit;
  /** Call it after a write that takes something away, before it is acknowledged. */
  durable: Durable;
  /** Of the metrics. */
  registry: Registry;
}

/** Connects to Redis. */
export function createContext({ redis: { url, prefix, minReplicas } }: IdentityConfig, logger: Logger) {
  const registry = createMetricsRegistry();
  const keys = createIdentityKeys(prefix);
  const store = openStore(url, logger, { minReplicas, barrierKey: keys.replicated });
  const { redis, writes } = store;
  createRedisMetrics(registry).measure(store.reader, store.writer);
  const { durable, close: closeDurable } = createDurable(url, keys.durable, writes.barrier, logger);
  const commit = createCommit(store, keys);
  const context: IdentityContext = { redis, writes, keys, logger, commit, durable, registry };
  return {
    context,
    checkRedis: () => checkRedis(store, keys.layout),
    close(): void {
      closeDurable();
      store.close();
    },
  };
}

/** The time of Redis in ms since the epoch, with a fraction: all replicas agree on it. */
export function redisTime(redis: RedisReads): Promise<number> {
  return timeOf(redis, '{auth}');
}
