import { type Dependency, next, type TaskState, type TaskWithState, toMs, toTime } from './task-state.ts';
import { end, reserveFrom, type TaskChange } from './task-transitions.ts';

/** The tasks that one waits for. */
export function waitsOn({ after = [] }: Pick<TaskState, 'after'>): string[] {
  return after.filter(({ status }) => status === undefined).map(({ id }) => id);
}

/** What the state of a task has of those that it comes after, from `from` in ms. */
export function toWaiting(after: Dependency[] | undefined, from: number): Pick<TaskState, 'after' | 'waitsFrom'> {
  if (after === undefined || after.length === 0) return {};
  return { after, ...(waitsOn({ after }).length > 0 && { waitsFrom: from }) };
}

/** Of what an ended task came after, what its retry takes over, and what has not completed. */
export function takeOver({ task, state }: TaskWithState): { taken: Dependency[]; missing: Dependency[] } {
  const isTaken = ({ status }: Dependency) =>
    status === 'completed' || (status !== undefined && task.after_failure === 'run');
  const after = state.after ?? [];
  return { taken: after.filter(isTaken), missing: after.filter((one) => !isTaken(one)) };
}

const HAS_ENDED = { failed: 'has failed', cancelled: 'was cancelled', deleted: 'was deleted' };

/**
 * A task hears how one has ended that it waits for: it waits for the others, may start, or fails. Its expiry stands
 * still while it waits. Undefined when it does not wait for that one.
 */
export function hearEnd(
  { task, state }: TaskWithState,
  id: string,
  status: NonNullable<Dependency['status']>,
  now: number,
): TaskChange | undefined {
  if (task.status !== 'pending' || !waitsOn(state).includes(id)) return undefined;
  const after = state.after?.map((one) => (one.id === id ? { ...one, status } : one));
  if (status !== 'completed' && task.after_failure !== 'run') {
    const message = `The task ${id} ${HAS_ENDED[status]}`;
    const error = { code: 'dependency_failed', message, retryable: false };
    return end({ task, state: { ...state, after } }, 'failed', now, { error });
  }
  if (waitsOn({ after }).length > 0) return { state: next(state, { after }) };
  const waited = now - (state.waitsFrom ?? now);
  const start = Math.max(now, toMs(task.scheduled_at));
  return {
    task: { ...task, expires_at: toTime(toMs(task.expires_at) + waited), updated_at: toTime(now) },
    state: next(reserveFrom(state, start), { after, waitsFrom: undefined }),
  };
}
