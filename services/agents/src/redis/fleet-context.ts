import type { Logger } from '@agent-fleet/shared/logger';
import type { Barrier } from '@agent-fleet/shared/redis/replicated-writes';
import type { RedisStore } from '@agent-fleet/shared/redis/store';
import type { TaskMetrics } from '../metrics/task-metrics.ts';
import type { Clock } from './clock.ts';
import type { Keys } from './keys.ts';

/** What the parts of a fleet share. */
export interface FleetContext extends RedisStore {
  /** Await it before a reply that acknowledges a change which another request has made. */
  barrier: Barrier;
  keys: Keys;
  clock: Clock;
  logger: Logger;
  metrics: TaskMetrics;
  /** How long an ended task is kept, in ms, and how many of them per agent. */
  retention: { ms: number; count: number };
}
