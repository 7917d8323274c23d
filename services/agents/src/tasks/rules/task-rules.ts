import { mergeUsed, type ReportedUse } from '../../agent-work/used.ts';
import type { Task } from '../task.ts';
import { addItem, NO_CONVERSATION } from './conversation.ts';
import { expire, INTERRUPTION_MS, openInterruption, suspend, WITHOUT_SESSION } from './conversation-rules.ts';
import { toWaiting, waitsOn } from './dependencies.ts';
import { meets, needsOf, offersOf } from './needs.ts';
import { mayBeParked, park } from './parking.ts';
import {
  type Dependency,
  encodeWorker,
  type Lease,
  next,
  RESERVATION_MS,
  type Reservation,
  type TaskState,
  type TaskWithState,
  toMs,
  toTime,
} from './task-state.ts';
import {
  cancelled,
  cancelRunning,
  end,
  fail,
  isBudgetSpent,
  type Suspension,
  type TaskChange,
  type TaskError,
  toAttempt,
  toPending,
} from './task-transitions.ts';

/** The worker that requests tasks. */
export interface Holder {
  workerId: string;
  leaseSeconds: number;
  /** What it takes (`ACCEPTS` of the contract). */
  accepts: readonly string[];
  labels: readonly string[];
}

/** The result that a worker reports. */
export interface Result {
  status: 'completed' | 'failed' | 'cancelled';
  result: unknown;
  error: TaskError | null;
  used: ReportedUse;
  /** When the provider takes calls again, in ms; NaN if that is not why it has failed. */
  retryAt: number;
  /** The end of the period, in ms, whose budget is used up. */
  overspentUntil?: number | undefined;
  suspension: Suspension | undefined;
  /** Digest of the report, to recognise a repeated one. */
  digest: string;
}

const ENDED = new Set<string>(['completed', 'failed', 'cancelled']);

export function isEnded({ status }: Task): boolean {
  return ENDED.has(status);
}

/** The earliest start of a pending task in ms. */
export function earliestStart({ scheduled_at, next_attempt_at }: Task): number {
  return Math.max(toMs(scheduled_at), toMs(next_attempt_at));
}

/** Reserves a new or replaced task for a worker, if there is one. */
export function toReservation(task: Task, workerId: string | undefined): Reservation | undefined {
  if (workerId === undefined) return undefined;
  return { workerId, until: Math.max(toMs(task.created_at), earliestStart(task)) + RESERVATION_MS };
}

/** The worker for which a task is reserved now. */
export function reservedFor({ reservation }: TaskState, now: number): string | undefined {
  return reservation && reservation.until > now ? reservation.workerId : undefined;
}

/**
 * The next deadline of a task in ms: the end of its lease or of an input request, an interruption, a start, the end of
 * a reservation, an expiry or the end of its retention.
 */
export function nextDeadline({ task, state }: TaskWithState, retentionMs: number, now: number): number {
  const { conversation = NO_CONVERSATION, lease } = state;
  const { open, interruptedAt = Number.POSITIVE_INFINITY } = conversation;
  if (task.status === 'running') return Math.min((lease as Lease).expiresAt, interruptedAt + INTERRUPTION_MS);
  if (task.status === 'input_required') {
    return Math.min(lease?.expiresAt ?? Number.POSITIVE_INFINITY, ...open.map(({ expiresAt }) => expiresAt));
  }
  if (task.status !== 'pending') return toMs(task.completed_at) + retentionMs;
  if (waitsOn(state).length > 0) return NEVER;
  const expiry = expiryOf({ task, state });
  const start = earliestStart(task);
  if (start > now) return Math.min(start, expiry);
  const { until = 0 } = state.reservation ?? {};
  return until > now ? Math.min(until, expiry) : expiry;
}

/** When a pending task expires, in ms; never if a person was asked once, nor while it waits for others. */
function expiryOf({ task, state }: TaskWithState): number {
  return (state.conversation?.requests ?? 0) > 0 || waitsOn(state).length > 0 ? NEVER : toMs(task.expires_at);
}

/** The last time that a date can have. */
const NEVER = 8.64e15;

/** The clocks of replicas agree with that of Redis to some milliseconds (redis/clock.ts). */
const CLOCK_TOLERANCE_MS = 100;

/** Whether a task may start now at a worker. */
export function mayStart(
  { task, state }: TaskWithState,
  { workerId, ...offers }: Pick<Holder, 'workerId' | 'accepts' | 'labels'>,
  now: number,
): boolean {
  const latest = now + CLOCK_TOLERANCE_MS;
  if (waitsOn(state).length > 0) return false;
  if (!meets(offersOf(offers), needsOf(state))) return false;
  if (task.status !== 'pending' || expiryOf({ task, state }) <= now || earliestStart(task) > latest) return false;
  const onlyWorker = reservedFor(state, latest);
  return onlyWorker === undefined || encodeWorker(onlyWorker) === encodeWorker(workerId);
}

/** pending → running: the next attempt. */
export function lease(
  { task, state }: TaskWithState,
  { accepts, labels: _, ...holder }: Holder & { token: string },
  now: number,
): TaskChange {
  const deadline = now + task.timeout_seconds * 1_000;
  const number = state.leases + 1;
  const expiresAt = Math.min(now + holder.leaseSeconds * 1_000, deadline);
  const held: Lease = { number, startedAt: now, expiresAt, deadline, ...holder };
  return {
    task: {
      ...task,
      status: 'running',
      attempt: task.attempt + 1,
      progress: null,
      worker_id: holder.workerId,
      next_attempt_at: null,
      started_at: toTime(now),
      updated_at: toTime(now),
    },
    state: next(state, { leases: number, lease: accepts.length > 0 ? { ...held, accepts } : held }),
    event: { type: 'task.leased', data: { attempt: task.attempt + 1, worker_id: holder.workerId } },
  };
}

/**
 * Extends a lease, never past the deadline of the attempt, which stands still while the task waits for a person, and
 * stores progress and what was used.
 */
export function heartbeat(
  { task, state }: TaskWithState,
  { progress, ...reported }: ReportedUse & { progress?: Task['progress'] | undefined },
  now: number,
): TaskChange {
  const held = state.lease as Lease;
  if (held.overspentUntil !== undefined) {
    const stored = { task, state: { ...state, lease: withUsed(held, reported) } };
    return endOverspent(stored, held.overspentUntil ?? Number.POSITIVE_INFINITY, now);
  }
  const until = now + held.leaseSeconds * 1_000;
  const expiresAt = Math.max(held.expiresAt, held.pausedAt === undefined ? Math.min(until, held.deadline) : until);
  const change: TaskChange = {
    state: next(state, { lease: { ...withUsed(held, reported), expiresAt, heartbeatAt: now } }),
  };
  if (!progress) return change;
  return {
    ...change,
    task: { ...task, progress, updated_at: toTime(now) },
    event: { type: 'task.progress', data: { progress } },
  };
}

const OVERSPENT = { code: 'budget_exceeded', message: 'A budget is used up', retryable: true };

/** The task waits for the next period of a budget. */
function endOverspent(stored: TaskWithState, until: number, now: number, suspension?: Suspension): TaskChange {
  if (!mayBeParked(stored)) return fail(stored, 'failed', OVERSPENT, now);
  return park(stored, { reason: 'budget', until, error: OVERSPENT, suspension }, now);
}

/** What the attempt has used, before its result. */
export function reportUse({ state }: TaskWithState, reported: ReportedUse): TaskChange {
  return { state: next(state, { lease: withUsed(state.lease as Lease, reported) }) };
}

/** The worker is told that a budget is used up: the next heartbeat ends the attempt. */
export function overspend({ state }: TaskWithState, until: number): TaskChange | undefined {
  const held = state.lease as Lease;
  if (held.overspentUntil !== undefined) return undefined;
  const overspentUntil = until === Number.POSITIVE_INFINITY ? null : until;
  return { state: next(state, { lease: { ...held, overspentUntil } }) };
}

/** Applies the result of a worker: the end of the task, or the next attempt. */
export function report({ task, state }: TaskWithState, result: Result, now: number): TaskChange {
  const lease = withUsed(state.lease as Lease, result.used);
  const reported = { lease: lease.number, token: lease.token, digest: result.digest };
  const stored = { task, state: { ...state, lease, reported } };
  if (result.status === 'failed') {
    const { error, retryAt: until, suspension } = result as Result & { error: TaskError };
    if (result.overspentUntil !== undefined && !isBudgetSpent(stored)) {
      return endOverspent(stored, result.overspentUntil, now, suspension);
    }
    if (Number.isNaN(until) || !mayBeParked(stored)) return fail(stored, 'failed', error, now);
    return park(stored, { reason: 'provider_quota', until, error, suspension }, now);
  }
  const isCompleted = result.status === 'completed';
  return end(stored, result.status, now, {
    result: result.result,
    error: isCompleted ? null : (result.error ?? cancelled(state.cancelReason)),
    attempt: toAttempt(stored, result.status, result.error, now),
  });
}

function withUsed(held: Lease, reported: ReportedUse): Lease {
  const used = mergeUsed(held.used, reported);
  return used ? { ...held, used } : held;
}

/**
 * running → pending; the attempt is not counted, but for what it has used. A task that waits for a person goes on so.
 */
export function release({ task, state }: TaskWithState, now: number): TaskChange {
  if (task.cancel_requested_at !== null) return cancelRunning({ task, state }, 'released', now);
  if (task.status === 'input_required') return suspend({ task, state }, WITHOUT_SESSION, now);
  return {
    ...toPending({ task, state }, { attempt: task.attempt - 1 }, now),
    attempt: toAttempt({ task, state }, 'released', null, now),
    event: { type: 'task.released', data: { worker_id: task.worker_id } },
  };
}

/**
 * Applies a deadline that has passed: of a lease, an attempt, a task, or the retention of an ended task. Otherwise only
 * the timer moves to the next deadline, and a task whose start has come, or whose reservation is over, is queued.
 */
export function applyDeadlines(stored: TaskWithState, retentionMs: number, now: number): TaskChange {
  return findPassedDeadline(stored, retentionMs, now) ?? { state: stored.state };
}

function findPassedDeadline(stored: TaskWithState, retentionMs: number, now: number): TaskChange | undefined {
  const { task } = stored;
  if (task.status === 'running') return applyLeaseDeadline(stored, now) ?? applyInterruption(stored, now);
  if (task.status === 'input_required') return applyLeaseDeadline(stored, now) ?? expire(stored, now);
  if (task.status === 'pending') {
    if (expiryOf(stored) > now) return undefined;
    const error = { code: 'expired', message: 'The task did not start before expires_at', retryable: false };
    return end(stored, 'failed', now, { error });
  }
  return toMs(task.completed_at) + retentionMs > now ? undefined : remove({ reason: 'retention' });
}

/** Cancels a task, or requests it from the worker that holds it. Undefined when already requested. */
export function cancel({ task, state }: TaskWithState, reason: string | null, now: number): TaskChange | undefined {
  if (!state.lease) return end({ task, state }, 'cancelled', now, { error: cancelled(reason) });
  if (task.cancel_requested_at !== null) return undefined;
  return {
    task: { ...task, cancel_requested_at: toTime(now), updated_at: toTime(now) },
    state: next(state, { cancelReason: reason, ...(state.lease.accepts && withCancelItem(state, reason)) }),
    ...(state.lease.accepts && { writes: { hasItems: true } }),
    event: { type: 'task.cancel_requested', data: reason === null ? undefined : { reason } },
  };
}

/** The worker of a conversation reads it in its inbox, before its next heartbeat. */
function withCancelItem({ conversation = NO_CONVERSATION }: TaskState, reason: string | null) {
  return { conversation: addItem(conversation, { type: 'cancel', reason }) };
}

/**
 * Replaces the fields of a pending task that the client sets. `worker`: of the task that it continues; `needs` and
 * `after`: new.
 */
export function replace(
  { task, state }: TaskWithState,
  given: Partial<Task>,
  {
    worker,
    needs,
    after,
  }: { worker: string | undefined; needs: string[] | undefined; after: Dependency[] | undefined },
  now: number,
): TaskChange {
  const replaced = { ...task, ...given, next_attempt_at: null, updated_at: toTime(now) };
  return {
    task: replaced,
    state: next(state, {
      reservation: toReservation(replaced, worker),
      needs,
      ...{ after: undefined, waitsFrom: undefined },
      ...toWaiting(after, now),
    }),
    event: { type: 'task.replaced' },
  };
}

export function remove(data?: Record<string, unknown>): TaskChange {
  return { state: null, event: { type: 'task.deleted', data } };
}

function applyInterruption(stored: TaskWithState, now: number): TaskChange | undefined {
  const { interruptedAt = now } = stored.state.conversation ?? {};
  return interruptedAt + INTERRUPTION_MS <= now ? openInterruption(stored, now) : undefined;
}

function applyLeaseDeadline(stored: TaskWithState, now: number): TaskChange | undefined {
  const held = stored.state.lease;
  if (!held || held.expiresAt > now) return undefined;
  if (stored.task.cancel_requested_at !== null) return cancelRunning(stored, 'lease_expired', now);
  if (stored.task.status === 'input_required') return suspend(stored, WITHOUT_SESSION, now);
  if (held.expiresAt >= held.deadline) {
    const message = `The attempt took longer than ${stored.task.timeout_seconds} s`;
    return fail(stored, 'timeout', { code: 'timeout', message, retryable: true }, now);
  }
  const message = 'The lease expired without a heartbeat';
  return fail(stored, 'lease_expired', { code: 'lease_expired', message, retryable: true }, now);
}
