import type { EventType } from '../../events/event.ts';
import { type TaskWithState, toMs } from './task-state.ts';

/** What the series count (includes/counters.lua), all but `created` by its event. */
export type Counter = 'created' | 'leased' | 'completed' | 'failed' | 'cancelled' | 'retry' | 'input';

const ENDS_OF_ATTEMPTS: Partial<Record<EventType, Counter>> = {
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
  'task.retry': 'retry',
};

/**
 * The counter of a change at `now` (ms), before which the task was `stored`: of a task's first lease with the bucket of
 * its wait, of an end or a retry with that of the attempt, if the task was running. Undefined when nothing counts it.
 */
export function counterOf({ task, state }: TaskWithState, event: EventType | undefined, now: number) {
  if (event === undefined) return undefined;
  if (event === 'task.input_required') return 'input';
  if (event === 'task.leased')
    return state.leases === 0 ? withDuration('leased', now - toMs(task.created_at)) : undefined;
  const counter = ENDS_OF_ATTEMPTS[event];
  return counter && state.lease ? withDuration(counter, now - state.lease.startedAt) : counter;
}

function withDuration(counter: Counter, durationMs: number): string {
  return `${counter}:${bucketOf(durationMs)}`;
}

/**
 * Durations as in DDSketch (Masson, Rim and Lee, VLDB 2019): logarithmic buckets, of which bucket `i` counts durations
 * of up to `GROWTH ** (i - 1)` ms, and bucket 0 those of 0 ms. Its middle is at most 4.8 % off. Counts of several
 * sketches add up to that of all durations.
 */
const GROWTH = 1.1;
/** It counts all durations of more than 99 days. */
const LAST_BUCKET = 242;
const DIGITS = 4;

/** `durationMs` in whole ms. */
export function bucketOf(durationMs: number): number {
  if (durationMs < 1) return 0;
  return Math.min(1 + Math.ceil(Math.log(durationMs) / Math.log(GROWTH)), LAST_BUCKET);
}

/** The duration that stands for all of a bucket, in ms: it has the same relative error at both ends. */
function middleOf(bucket: number): number {
  if (bucket === 0) return 0;
  return Number(((2 * GROWTH ** (bucket - 1)) / (GROWTH + 1)).toPrecision(DIGITS));
}

/** Returns the quantiles of at least one duration, in ms; `counts` by bucket, `quantiles` from 0 to 1. */
export function quantilesOf(counts: ReadonlyMap<number, number>, quantiles: readonly number[]): number[] {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  return quantiles.map((quantile) => {
    let left = quantile * (total - 1);
    const found = buckets.find(([, count]) => {
      left -= count;
      return left < 0;
    });
    return middleOf(found?.[0] ?? 0);
  });
}
