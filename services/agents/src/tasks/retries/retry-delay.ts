import type { Task } from '../task.ts';

/**
 * Returns the delay in ms before the retry of attempt `attempt` (1, 2, …): fixed or exponential, with a cap. `jitter`
 * is the random part of the delay, as in BullMQ (0: none of it, 1: all of it).
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
