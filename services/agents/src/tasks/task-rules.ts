import type { Task } from './task.ts';
import {
  cancelled,
  cancelRunning,
  end,
  fail,
  next,
  pendingFields,
  type StoredTask,
  type TaskChange,
  type TaskError,
  toAttempt,
  toMs,
  toPending,
  toTime,
} from './task-change.ts';
import type { Lease } from './task-state.ts';

export interface Result {
  status: 'completed' | 'failed' | 'cancelled';
  result: unknown;
  error: TaskError | null;
  /** Of all of it: the same again is no other result. */
  digest: string;
}

const ENDED = new Set<string>(['completed', 'failed', 'cancelled']);

export function isEnded({ status }: Task): boolean {
  return ENDED.has(status);
}

/** When a pending task may be worked on, in ms. */
export function startOf({ scheduled_at, next_attempt_at }: Task): number {
  return Math.max(toMs(scheduled_at), toMs(next_attempt_at));
}

/** When something has to be done for a task that nobody asks for, in ms. */
export function dueOf({ task, state }: StoredTask, retentionMs: number, now: number): number {
  if (task.status === 'running') return (state.lease as Lease).expiresAt;
  if (task.status !== 'pending') return toMs(task.completed_at) + retentionMs;
  const expiry = toMs(task.expires_at);
  const start = startOf(task);
  return start > now ? Math.min(start, expiry) : expiry;
}

/** pending → running: the next attempt. */
export function lease(
  { task, state }: StoredTask,
  holder: { workerId: string; token: string; leaseSeconds: number },
  now: number,
): TaskChange {
  const deadline = now + task.timeout_seconds * 1_000;
  const number = state.leases + 1;
  const expiresAt = Math.min(now + holder.leaseSeconds * 1_000, deadline);
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
    state: next(state, { leases: number, lease: { number, startedAt: now, expiresAt, deadline, ...holder } }),
    event: { type: 'task.leased', data: { attempt: task.attempt + 1, worker_id: holder.workerId } },
  };
}

/** Extends a lease, never past the attempt's deadline, and takes progress along. */
export function heartbeat(
  { task, state }: StoredTask,
  held: Lease,
  progress: Task['progress'] | undefined,
  now: number,
): TaskChange {
  const expiresAt = Math.max(held.expiresAt, Math.min(now + held.leaseSeconds * 1_000, held.deadline));
  const change: TaskChange = { state: next(state, { lease: { ...held, expiresAt } }) };
  if (!progress) return change;
  return {
    ...change,
    task: { ...task, progress, updated_at: toTime(now) },
    event: { type: 'task.progress', data: { progress } },
  };
}

/** What a worker made of it: an end, or the next attempt. */
export function report({ task, state }: StoredTask, held: Lease, result: Result, now: number): TaskChange {
  const reported = { lease: held.number, token: held.token, digest: result.digest };
  const stored = { task, state: { ...state, reported } };
  if (result.status === 'failed') return fail(stored, held, 'failed', result.error as TaskError, now);
  const isCompleted = result.status === 'completed';
  return end(stored, result.status, now, {
    result: result.result,
    error: isCompleted ? null : (result.error ?? cancelled(state.cancelReason)),
    attempt: toAttempt(task, held, result.status, result.error, now),
    agentStatus: 'idle',
  });
}

/** running → pending, as if the attempt had not been. */
export function release({ task, state }: StoredTask, now: number): TaskChange {
  if (task.cancel_requested_at !== null) return cancelRunning({ task, state }, 'released', now);
  return {
    ...toPending({ task, state }, now),
    task: { ...pendingFields(task, now), attempt: task.attempt - 1 },
    event: { type: 'task.released', data: { worker_id: task.worker_id } },
  };
}

/** What time alone does: a lease, an attempt or a task that has run out, or an ended one that has been kept long enough. */
export function passTime(stored: StoredTask, retentionMs: number, now: number): TaskChange | undefined {
  const { task, state } = stored;
  if (task.status === 'running') return passLease(stored, state.lease as Lease, now);
  if (task.status === 'pending') {
    if (toMs(task.expires_at) > now) return undefined;
    const error = { code: 'expired', message: 'Nobody had begun it by expires_at', retryable: false };
    return end(stored, 'failed', now, { result: null, error });
  }
  return toMs(task.completed_at) + retentionMs > now ? undefined : remove(stored, { reason: 'retention' });
}

/** A wish to cancel: a pending task is cancelled, of a running one its worker is told; undefined when it is wished already. */
export function cancel({ task, state }: StoredTask, reason: string | null, now: number): TaskChange | undefined {
  if (task.status === 'pending')
    return end({ task, state }, 'cancelled', now, { result: null, error: cancelled(reason) });
  if (task.cancel_requested_at !== null) return undefined;
  return {
    task: { ...task, cancel_requested_at: toTime(now), updated_at: toTime(now) },
    state: next(state, { cancelReason: reason }),
    event: { type: 'task.cancel_requested', data: reason === null ? undefined : { reason } },
  };
}

/** What the client gave of a pending task, anew. */
export function replace({ task, state }: StoredTask, given: Partial<Task>, now: number): TaskChange {
  return {
    task: { ...task, ...given, next_attempt_at: null, updated_at: toTime(now) },
    state: next(state, {}),
    event: { type: 'task.replaced' },
  };
}

export function remove({ task }: StoredTask, data?: Record<string, unknown>): TaskChange {
  return {
    state: null,
    event: { type: 'task.deleted', data },
    ...(task.status === 'running' && { agentStatus: 'idle' }),
  };
}

function passLease(stored: StoredTask, held: Lease, now: number): TaskChange | undefined {
  if (held.expiresAt > now) return undefined;
  if (stored.task.cancel_requested_at !== null) return cancelRunning(stored, 'lease_expired', now);
  if (held.expiresAt >= held.deadline) {
    const message = `The attempt took longer than ${stored.task.timeout_seconds} s`;
    return fail(stored, held, 'timeout', { code: 'timeout', message, retryable: true }, now);
  }
  const message = 'The worker was not heard of until its lease ran out';
  return fail(stored, held, 'lease_expired', { code: 'lease_expired', message, retryable: true }, now);
}
