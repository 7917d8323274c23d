import type { Logger } from '@agent-fleet/shared/logger';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import type { Barrier } from '@agent-fleet/shared/redis/replicated-writes';
import { type OpenStore, openStore, type RedisStore } from '@agent-fleet/shared/redis/store';
import type { Registry } from 'prom-client';
import type { AgentsConfig } from '../config.ts';
import { type Admit, createAdmit, WAITS } from '../contract/callers.ts';
import { createWaits, type Waits } from '../contract/waits.ts';
import { createTaskMetrics, type TaskMetrics } from '../metrics/task-metrics.ts';
import { Clock } from './clock.ts';
import { createKeys, type Keys } from './keys.ts';

/** What the parts of a fleet share. */
export interface FleetContext extends RedisStore {
  config: AgentsConfig;
  /** The connections of `redis` and `writes`. */
  store: OpenStore;
  /** Await it before a reply that acknowledges a change which another request has made. */
  barrier: Barrier;
  keys: Keys;
  clock: Clock;
  logger: Logger;
  /** Where metrics are registered. */
  registry: Registry;
  metrics: TaskMetrics;
  /** Limits the requests of each principal that wait. */
  admitWait: Admit;
  waits: Waits;
}

export interface FleetOptions {
  config: AgentsConfig;
  logger: Logger;
  registry: Registry;
  /** How often background jobs run, in ms. */
  backgroundEveryMs?: number;
  /** How long a client of an event stream may read nothing, in ms. */
  stalledMs?: number;
}

/** Connects to Redis. */
export function createContext({ config, logger, registry }: FleetOptions): FleetContext {
  const { url, prefix, minReplicas } = config.redis;
  const keys = createKeys(prefix);
  const store = openStore(url, logger, { minReplicas, barrierKey: keys.replicated });
  const { redis, writes } = store;
  const admitWait = createAdmit(config.quotas.waits, WAITS);
  createRedisMetrics(registry).measure(store.reader, store.writer);
  return {
    config,
    store,
    redis,
    writes,
    barrier: writes.barrier,
    keys,
    clock: new Clock(),
    logger,
    registry,
    metrics: createTaskMetrics(registry),
    admitWait,
    waits: createWaits(admitWait),
  };
}
