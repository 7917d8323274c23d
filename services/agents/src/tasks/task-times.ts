import type { FieldError } from '@agent-fleet/shared/http/errors';
import type { Task } from './task.ts';

const MAX_SCHEDULE_MS = 30 * 86_400_000;

/** Finds a contradiction in the times of a task that is sent at `now`, in ms. */
export function findTimeProblem(
  { scheduled_at, expires_at }: Pick<Task, 'scheduled_at' | 'expires_at'>,
  now: number,
): FieldError | undefined {
  if (scheduled_at !== null) {
    const start = Date.parse(scheduled_at);
    if (start < now) return { path: 'scheduled_at', code: 'in_the_past', message: 'is in the past' };
    if (start > now + MAX_SCHEDULE_MS) {
      return { path: 'scheduled_at', code: 'too_far_ahead', message: 'is more than 30 days ahead' };
    }
    if (start > Date.parse(expires_at)) {
      return { path: 'scheduled_at', code: 'after_expiry', message: 'is after expires_at' };
    }
  }
  if (Date.parse(expires_at) <= now) return { path: 'expires_at', code: 'in_the_past', message: 'is in the past' };
  return undefined;
}
