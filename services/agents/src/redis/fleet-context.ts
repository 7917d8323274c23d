import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Clock } from './clock.ts';
import type { Keys } from './keys.ts';

/** What the parts of a fleet share. */
export interface FleetContext {
  redis: RedisClient;
  keys: Keys;
  clock: Clock;
  logger: Logger;
  /** How long an ended task is kept, in ms, and how many of them per agent. */
  retention: { ms: number; count: number };
}
