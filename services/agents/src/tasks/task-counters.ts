import type { EventType } from '../events/event.ts';
import { bucketOf } from './durations/duration-sketch.ts';
import type { TaskWithState } from './task-state.ts';
import { toMs } from './task-transitions.ts';

/** What the series count (scripts/includes/series.lua), all but `created` by its event. */
export type Counter = 'created' | 'leased' | 'completed' | 'failed' | 'cancelled' | 'retry';

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
  if (event === 'task.leased')
    return state.leases === 0 ? withDuration('leased', now - toMs(task.created_at)) : undefined;
  const counter = ENDS_OF_ATTEMPTS[event];
  return counter && state.lease ? withDuration(counter, now - state.lease.startedAt) : counter;
}

function withDuration(counter: Counter, durationMs: number): string {
  return `${counter}:${bucketOf(durationMs)}`;
}
