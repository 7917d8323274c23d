import type { Input, Reply } from '@agent-fleet/shared/contract';
import { detailError, type FieldError, type HttpError, httpError } from '@agent-fleet/shared/errors';
import { etagOf } from '@agent-fleet/shared/etag';
import { pageHeaders } from '@agent-fleet/shared/paging';
import { agentNotFound } from '../agents/agents.ts';
import { createId, isId, timeOfId } from '../ids.ts';
import type { createTask, listTasks, readTask } from './contract.ts';
import type { Task, TaskInput } from './task.ts';
import type { TaskStore } from './task-store.ts';

const DAY_MS = 86_400_000;
const MAX_SCHEDULE_MS = 30 * DAY_MS;
const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** @throws 404 when there is no such agent */
type RequireAgent = (params: { agent_id: string }) => Promise<void>;

/** The rules of tasks: what each operation does, and what it answers. */
export function createTasks(store: TaskStore, requireAgent: RequireAgent) {
  return {
    async list({ params, query, req }: Input<typeof listTasks>): Promise<Reply> {
      const { skip, limit, status } = query;
      const [{ json, total, passed }] = await Promise.all([
        store.list(params.agent_id, status, { skip, limit }),
        requireAgent(params),
      ]);
      return { status: 200, json, headers: pageHeaders(req.originalUrl, { skip, limit }, total, passed) };
    },

    async create({ params, body }: Input<typeof createTask>): Promise<Reply> {
      const agentId = params.agent_id;
      if (!isId(agentId)) throw agentNotFound();
      const task = toTask(agentId, body);
      const json = await checkAndStore(task);
      return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${agentId}/tasks/${task.id}` } };
    },

    async read({ params }: Input<typeof readTask>): Promise<Reply> {
      const { agent_id, task_id } = params;
      if (!isId(agent_id)) throw agentNotFound();
      const json = await store.read(agent_id, task_id);
      if (json === 'agent missing') throw agentNotFound();
      if (json === 'missing') throw detailError(404, 'Task not found');
      return { status: 200, json, etag: etagOf(json) };
    },
  };

  async function checkAndStore(task: Task): Promise<string> {
    const problem = findTimeProblem(task) ?? (await findRetryProblem(task));
    if (problem) {
      await requireAgent(task);
      throw semanticError(problem);
    }
    const json = await store.create(task);
    if (json === null) throw agentNotFound();
    return json;
  }

  async function findRetryProblem({ agent_id, retry_of }: Task): Promise<FieldError | undefined> {
    if (retry_of === null) return undefined;
    const json = await store.read(agent_id, retry_of);
    if (json === 'agent missing') throw agentNotFound();
    if (json === 'missing') return { path: 'retry_of', code: 'unknown_task', message: 'is not a task of this agent' };
    if (ENDED.has((JSON.parse(json) as Task).status)) return undefined;
    return { path: 'retry_of', code: 'not_ended', message: 'is a task that has not ended' };
  }
}

function semanticError(problem: FieldError): HttpError {
  return httpError('semantic_error', `${problem.path}: ${problem.message}`, { fields: [problem] });
}

function findTimeProblem({ scheduled_at, expires_at, created_at }: Task): FieldError | undefined {
  const now = Date.parse(created_at);
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

function toTask(agentId: string, input: TaskInput): Task {
  const id = createId();
  const created_at = timeOfId(id).toISOString();
  const scheduled_at = input.scheduled_at ?? null;
  return {
    id,
    agent_id: agentId,
    message: input.message,
    input: input.input ?? null,
    status: 'pending',
    priority: input.priority,
    scheduled_at,
    expires_at: input.expires_at ?? new Date(Date.parse(scheduled_at ?? created_at) + DAY_MS).toISOString(),
    timeout_seconds: input.timeout_seconds,
    max_attempts: input.max_attempts,
    retry_policy: input.retry_policy,
    attempt: 0,
    result: null,
    error: null,
    progress: null,
    tags: input.tags ?? null,
    metadata: input.metadata ?? null,
    retry_of: input.retry_of ?? null,
    worker_id: null,
    cancel_requested_at: null,
    next_attempt_at: null,
    started_at: null,
    completed_at: null,
    created_at,
    updated_at: created_at,
  };
}
