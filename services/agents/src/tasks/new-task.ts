import type { FieldError } from '@agent-fleet/shared/http/errors';
import { timeOfId } from '@agent-fleet/shared/ids';
import type { Origin } from '../contract/callers.ts';
import { roundAmount } from './agent-work/used.ts';
import type { Task, TaskInput } from './task.ts';

const DAY_MS = 86_400_000;

/** The fields of a task that a client sets, with defaults. */
export type GivenTask = Pick<Task, keyof TaskInput>;

/** `createdAt` in ms. By default a task expires one day after the later of it and `scheduled_at`. */
export function toGiven(input: TaskInput, createdAt: number): GivenTask {
  const scheduled_at = input.scheduled_at ?? null;
  const start = Math.max(createdAt, scheduled_at === null ? 0 : Date.parse(scheduled_at));
  return {
    message: input.message,
    input: input.input ?? null,
    priority: input.priority,
    scheduled_at,
    expires_at: input.expires_at ?? new Date(start + DAY_MS).toISOString(),
    timeout_seconds: input.timeout_seconds,
    max_attempts: input.max_attempts,
    retry_policy: input.retry_policy,
    tags: input.tags ?? null,
    metadata: input.metadata ?? null,
    retry_of: input.retry_of ?? null,
    skills: input.skills ?? null,
    workspace: input.workspace ? { ...input.workspace, ref: input.workspace.ref ?? null } : null,
    model: input.model ?? null,
    output_schema: input.output_schema ?? null,
    max_cost: input.max_cost ? { ...input.max_cost, amount: roundAmount(input.max_cost.amount) } : null,
    continue_of: input.continue_of ?? null,
  };
}

/** Builds a pending task. Its id contains the creation time. */
export function toTask(agentId: string, id: string, input: TaskInput, origin: Origin): Task {
  const createdAt = timeOfId(id);
  const created_at = createdAt.toISOString();
  return {
    id,
    agent_id: agentId,
    ...toGiven(input, createdAt.getTime()),
    status: 'pending',
    attempt: 0,
    result: null,
    error: null,
    progress: null,
    usage: null,
    cost: null,
    ...origin,
    worker_id: null,
    cancel_requested_at: null,
    next_attempt_at: null,
    started_at: null,
    completed_at: null,
    created_at,
    updated_at: created_at,
    // The last field: scripts add to it (includes/tasks.lua).
    continued_by: [],
  };
}

/** Builds a task like one that has ended, with other times. Of `changes`, what is undefined stays. */
export function toRetry(
  ended: Task,
  id: string,
  origin: Origin,
  changes: Partial<Pick<TaskInput, 'message' | 'input'>> = {},
): Task {
  const { message = ended.message, input = ended.input } = changes;
  const given = { ...ended, message, input, scheduled_at: null, expires_at: null, retry_of: ended.id };
  return toTask(ended.agent_id, id, given, origin);
}

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
