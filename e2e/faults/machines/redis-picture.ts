import type { Program } from './program.ts';
import type { RedisNode } from './redis-node.ts';

/** In a cluster, these are on different servers. */
export type Records = 'fleet' | 'identity';

/** Several Redis servers as one, of which one may die. */
export interface RedisPicture {
  /** For `REDIS_URL`. */
  url: string;
  /** For `REDIS_MIN_REPLICAS`. */
  minReplicas: number;
  /** Whether a primary that comes back while another one is being promoted may go on acknowledging writes. */
  mayReturnTooEarly: boolean;
  /** Whether a server whose clock was set back must be started anew: it would ask no other whether it is alive. */
  restartsAfterClock: boolean;
  nodes: readonly RedisNode[];
  sentinels: readonly Program[];
  /** Starts the servers and joins them. */
  start(): Promise<void>;
  /** The primary of some records. Default: the fleet's. */
  primary(of?: Records): Promise<RedisNode>;
  /** Resolves when every server has its role, and knows the others. */
  untilWhole(timeoutMs: number): Promise<void>;
  /** Makes another server the primary, as an operator does before maintenance. */
  switchOver(): Promise<void>;
  close(): void;
}
