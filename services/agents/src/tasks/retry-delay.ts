import type { Task } from './task.ts';

/**
 * How long a retry waits after attempt `attempt` (1, 2, …) has failed, in ms: fixed, or doubled with each attempt, capped; `jitter` is
 * the part of it that is left to chance, as in BullMQ (0: none of it, 1: from nothing to all).
 */
export function retryDelayMs(
  policy: Task['retry_policy'],
  attempt: number,
  random: () => number = Math.random,
): number {
  const { strategy, delay_seconds, max_delay_seconds, jitter } = policy;
  const factor = strategy === 'exponential' ? 2 ** (attempt - 1) : 1;
  const delayMs = Math.min(delay_seconds * factor, max_delay_seconds) * 1_000;
  return Math.round(delayMs * (1 - jitter * random()));
}
