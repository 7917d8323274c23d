import { toSuspended } from './conversation.ts';
import {
  BOUND_RESERVATION_MS,
  type Lease,
  next,
  type ParkingReason,
  RESERVATION_MS,
  type TaskState,
  type TaskWithState,
  toMs,
  toTime,
} from './task-state.ts';
import {
  cancelRunning,
  isBudgetSpent,
  reserveFrom,
  type Suspension,
  type TaskChange,
  type TaskError,
  toAttempt,
  toPending,
} from './task-transitions.ts';

const MAX_PARKED_MS = 7 * 86_400_000;
/** In the life of a task; then it fails as others do. */
const MAX_TIMES = 50;

interface Parking {
  reason: ParkingReason;
  /** In ms. */
  until: number;
  error: TaskError;
  /** The session that goes on then; undefined: that of the attempt before, or none. */
  suspension?: Suspension | undefined;
}

/** Whether a task was parked, and has neither been leased nor replaced since. */
export function isParked({ task, state }: TaskWithState): boolean {
  return task.status === 'pending' && state.parked?.lease === state.leases && task.next_attempt_at !== null;
}

export function mayBeParked(stored: TaskWithState): boolean {
  return (stored.state.parked?.times ?? 0) < MAX_TIMES && !isBudgetSpent(stored);
}

/** running → pending from a later time on. The attempt does not count, and the time to `expires_at` stands still. */
export function park(stored: TaskWithState, { reason, error, suspension, ...given }: Parking, now: number): TaskChange {
  const { task, state } = stored;
  if (task.cancel_requested_at !== null) return cancelRunning(stored, 'parked', now, error);
  const { workerId } = state.lease as Lease;
  const until = Math.min(Math.max(given.until, now), now + MAX_PARKED_MS);
  // One that has passed since the start leaves the worker its time to go on.
  const leftMs = toMs(task.expires_at) > now ? toMs(task.expires_at) - now : RESERVATION_MS;
  const times = { next_attempt_at: toTime(until), expires_at: toTime(until + leftMs) };
  const parked = { reason, lease: state.leases, times: (state.parked?.times ?? 0) + 1 };
  const reservedMs = suspension?.isBound ? BOUND_RESERVATION_MS : RESERVATION_MS;
  const reserved = suspension
    ? { ...state, reservation: { workerId, until: until + reservedMs } }
    : reserveFrom(state, until);
  const pending = toPending(
    { task, state: { ...reserved, parked } },
    { ...times, attempt: task.attempt - 1, error },
    now,
  );
  return {
    ...pending,
    ...(suspension && keep(pending, suspension, workerId)),
    attempt: toAttempt(stored, 'parked', error, now),
    event: { type: 'task.parked', data: { reason, until: times.next_attempt_at, worker_id: workerId } },
  };
}

/** The next attempt goes on with the session. */
function keep({ state, writes }: TaskChange, suspension: Suspension, workerId: string): Partial<TaskChange> {
  const conversation = toSuspended((state as TaskState).conversation, workerId, suspension.isBound);
  return { state: { ...(state as TaskState), conversation }, writes: { ...writes, suspension } };
}

/** A task that waits for a budget looks again after this time, as the budget may be raised. */
const BUDGET_CHECK_MS = 5 * 60_000;

/** pending → pending from a later time on, as a budget of its creator is used up. */
export function postpone({ task, state }: TaskWithState, until: number, now: number): TaskChange {
  const start = Math.min(until, now + BUDGET_CHECK_MS);
  const times = { next_attempt_at: toTime(start), expires_at: toTime(toMs(task.expires_at) + start - now) };
  const parked = { reason: 'budget' as const, lease: state.leases, times: state.parked?.times ?? 0 };
  return { task: { ...task, ...times, updated_at: toTime(now) }, state: next(state, { parked }) };
}
