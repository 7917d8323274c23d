import { addUsed, isSpent, NOTHING_USED, type Used } from '../../agent-work/used.ts';
import type { Attempt } from '../attempts-contract.ts';
import type { Task } from '../task.ts';
import { type ConversationWrites, endTalk, requeue, type TaskEvent, withdrawAll } from './conversation.ts';
import { type Lease, next, RESERVATION_MS, type TaskState, type TaskWithState, toTime } from './task-state.ts';

/** The change of a task that a rule returns. Queue, timer and indexes follow from it (task-changer.ts). */
export interface TaskChange {
  /** Undefined when the record stays the same. */
  task?: Task;
  /** Null deletes the task. */
  state: TaskState | null;
  event?: TaskEvent | undefined;
  /** Events before it, with the status that the task had. */
  earlier?: readonly TaskEvent[];
  /** What people and the worker say. */
  writes?: ConversationWrites | undefined;
  /** An attempt that has ended. */
  attempt?: Attempt;
  /** What the attempt that ends has used, if that is not what the state before has. */
  used?: Used | undefined;
  /** The agent's status when none of its tasks is running any more. Default: `idle`. */
  agentStatus?: 'error' | 'offline';
  /** The step of a bulk action that makes the change; it counts it, unless the step is over. */
  bulk?: BulkStep;
  /** Keeps the reply of the request that makes it under its Idempotency-Key. */
  kept?: { digest: string; expected: string; value: string } | undefined;
  /** The entry in the audit trail. */
  audit?: string | undefined;
  /** Who changes the labels of a task, for its share of their sets. */
  owner?: string | undefined;
}

/** A step of a bulk action, by the cursor at its begin. */
export interface BulkStep {
  id: string;
  cursor: string;
}

/** What the next attempt of a task goes on with, as its worker has sent it. */
export interface Suspension {
  /** Whether only this worker has the session. */
  isBound: boolean;
  session: string;
  data: string;
  state: string;
}

export type TaskError = NonNullable<Task['error']>;

/**
 * Ends a failed attempt: with a retry, delayed when the worker reported the failure, or with the end of the task, as
 * when all attempts together have cost `max_cost`.
 */
export function fail(
  stored: TaskWithState,
  outcome: 'failed' | 'lease_expired' | 'timeout',
  error: TaskError,
  now: number,
): TaskChange {
  const { task } = stored;
  const attempt = toAttempt(stored, outcome, error, now);
  if (error.retryable && task.attempt < task.max_attempts && !isBudgetSpent(stored)) {
    if (task.cancel_requested_at !== null) return cancelRunning(stored, outcome, now, error);
    const delayMs = outcome === 'failed' ? retryDelayMs(task.retry_policy, task.attempt) : 0;
    const next_attempt_at = toTime(now + delayMs);
    return {
      ...toPending({ task, state: reserveFrom(stored.state, now + delayMs) }, { error, next_attempt_at }, now),
      attempt,
      event: { type: 'task.retry', data: { attempt: task.attempt, error, next_attempt_at } },
    };
  }
  const agentStatus = outcome === 'lease_expired' ? 'offline' : 'error';
  return end(stored, 'failed', now, { error, attempt, agentStatus });
}

/** A retry is reserved anew, from its start. */
export function reserveFrom(state: TaskState, start: number): TaskState {
  const { reservation } = state;
  return reservation ? { ...state, reservation: { ...reservation, until: start + RESERVATION_MS } } : state;
}

export function isBudgetSpent({ task, state }: TaskWithState): boolean {
  return isSpent(addUsed(task, state.lease?.used).cost, task.max_cost);
}

/** Cancels a running task whose cancellation was requested. */
export function cancelRunning(
  stored: TaskWithState,
  outcome: Attempt['outcome'],
  now: number,
  error: TaskError | null = null,
): TaskChange {
  const attempt = toAttempt(stored, outcome, error, now);
  return end(stored, 'cancelled', now, { error: cancelled(stored.state.cancelReason), attempt });
}

interface End {
  /** Default: null. */
  result?: unknown;
  error: TaskError | null;
  attempt?: Attempt;
  agentStatus?: TaskChange['agentStatus'];
}

/** Ends a task. */
export function end(
  { task, state }: TaskWithState,
  status: 'completed' | 'failed' | 'cancelled',
  now: number,
  { result = null, error, attempt, agentStatus }: End,
): TaskChange {
  const talk = state.conversation && endTalk(state.conversation, now);
  return {
    task: {
      ...task,
      ...addUsed(task, state.lease?.used),
      status,
      result,
      error,
      next_attempt_at: null,
      completed_at: toTime(now),
      updated_at: toTime(now),
    },
    state: next(state, { lease: null, cancelReason: null, conversation: talk?.conversation }),
    ...(talk && { writes: talk.writes, earlier: talk.events }),
    event: { type: `task.${status}`, data: { attempt: task.attempt, ...(error && { error }) } },
    attempt,
    used: state.lease?.used,
    agentStatus,
  };
}

/** running → pending, with these other fields. Nobody waits for answers any more. */
export function toPending({ task, state }: TaskWithState, fields: Partial<Task>, now: number): TaskChange {
  const talk = state.conversation && withdrawAll({ conversation: state.conversation, writes: {}, events: [] }, now);
  const conversation = talk && requeue(talk.conversation, state.lease?.heartbeatAt !== undefined);
  return {
    task: {
      ...task,
      ...addUsed(task, state.lease?.used),
      status: 'pending',
      progress: null,
      worker_id: null,
      started_at: null,
      next_attempt_at: null,
      updated_at: toTime(now),
      ...fields,
    },
    state: next(state, { lease: null, cancelReason: null, conversation }),
    ...(talk && { writes: talk.writes, earlier: talk.events }),
    used: state.lease?.used,
  };
}

/** The attempt of a running task, which ends now. */
export function toAttempt(
  { task, state }: TaskWithState,
  outcome: Attempt['outcome'],
  error: TaskError | null,
  now: number,
): Attempt {
  const { workerId, startedAt, used = NOTHING_USED } = state.lease as Lease;
  return {
    number: task.attempt,
    worker_id: workerId,
    started_at: toTime(startedAt),
    ended_at: toTime(now),
    outcome,
    error,
    ...used,
  };
}

export function cancelled(reason: string | null): TaskError {
  return { code: 'cancelled', message: reason ?? 'Cancelled', retryable: false };
}

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
