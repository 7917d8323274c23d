import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@agent-fleet/shared/http/errors';
import { timeOfId } from '@agent-fleet/shared/ids';
import { DEFAULT_LIMITS, DEFAULT_RETRY_POLICY } from '../agent-work/limits.ts';
import { roundAmount } from '../agent-work/used.ts';
import type { Origin } from '../contract/callers.ts';
import type { Definition } from '../definitions/definition.ts';
import type { Task, TaskInput } from './task.ts';

const DAY_MS = 86_400_000;

/** The fields of a task that a client sets, with defaults. */
export type GivenTask = Pick<Task, keyof TaskInput>;

/**
 * `createdAt` in ms. By default a task expires one day after the later of it and `scheduled_at`. What rules and indexes
 * need of the definition becomes the task's own; the lease adds the rest.
 */
export function toGiven(input: TaskInput, createdAt: number, definition: Definition | null): GivenTask {
  const limits = definition?.limits;
  const max_cost = input.max_cost ?? limits?.max_cost;
  const scheduled_at = input.scheduled_at ?? null;
  const start = Math.max(createdAt, scheduled_at === null ? 0 : Date.parse(scheduled_at));
  return {
    message: input.message,
    input: input.input ?? null,
    priority: input.priority,
    scheduled_at,
    expires_at: input.expires_at ?? new Date(start + DAY_MS).toISOString(),
    timeout_seconds: input.timeout_seconds ?? limits?.timeout_seconds ?? DEFAULT_LIMITS.timeout_seconds,
    max_attempts: input.max_attempts ?? limits?.max_attempts ?? DEFAULT_LIMITS.max_attempts,
    retry_policy: input.retry_policy ?? definition?.retry_policy ?? DEFAULT_RETRY_POLICY,
    tags: definition?.tags.length ? [...new Set([...definition.tags, ...(input.tags ?? [])])] : (input.tags ?? null),
    metadata: input.metadata ?? null,
    requires: input.requires ?? null,
    concurrency_key: input.concurrency_key ?? null,
    after: input.after?.length ? [...new Set(input.after)] : null,
    after_failure: input.after?.length ? (input.after_failure ?? 'fail') : null,
    retry_of: input.retry_of ?? null,
    skills: input.skills ?? null,
    workspace: input.workspace ? { ...input.workspace, ref: input.workspace.ref ?? null } : null,
    model: input.model ?? null,
    output_schema: input.output_schema ?? null,
    max_cost: max_cost ? { ...max_cost, amount: roundAmount(max_cost.amount) } : null,
    continue_of: input.continue_of ?? null,
  };
}

/** Builds a pending task. Its id contains the creation time. */
export function toTask(
  agentId: string,
  id: string,
  input: TaskInput,
  { origin, definition }: { origin: Origin; definition: Definition | null },
): Task {
  const createdAt = timeOfId(id);
  const created_at = createdAt.toISOString();
  return {
    id,
    agent_id: agentId,
    ...toGiven(input, createdAt.getTime(), definition),
    status: 'pending',
    attempt: 0,
    result: null,
    error: null,
    progress: null,
    usage: null,
    cost: null,
    agent_version: definition?.version ?? null,
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

/** The versions of a retry: of the ended task, and its own. */
export interface RetryVersions {
  before: Definition | null;
  after: Definition | null;
}

/**
 * Builds a task like one that has ended, with other times. Of `changes`, what is undefined stays. With another version,
 * what the ended task had from its own is replaced.
 */
export function toRetry(
  ended: Task,
  id: string,
  { origin, before, after }: RetryVersions & { origin: Origin },
  changes: Partial<Pick<TaskInput, 'message' | 'input' | 'after'>> = {},
): Task {
  const { message = ended.message, input = ended.input, after: names = ended.after } = changes;
  const own = before === after ? ended : withoutDefinition(ended, before);
  const given = { ...own, message, input, after: names, scheduled_at: null, expires_at: null, retry_of: ended.id };
  return toTask(ended.agent_id, id, given, { origin, definition: after });
}

/** What a task has that is neither of its definition nor the default. */
function withoutDefinition(task: Task, definition: Definition | null): TaskInput {
  const inherited = toGiven({ ...NOTHING_GIVEN, message: task.message }, 0, definition);
  const own = Object.entries(task).filter(
    ([name, value]) => !(INHERITED.has(name) && isDeepStrictEqual(value, inherited[name as keyof GivenTask])),
  );
  const tags = task.tags?.filter((tag) => !definition?.tags.includes(tag)) ?? null;
  return { ...(Object.fromEntries(own) as Task), tags };
}

const INHERITED = new Set(['timeout_seconds', 'max_attempts', 'retry_policy', 'max_cost']);
const NOTHING_GIVEN = { priority: 5 };

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
