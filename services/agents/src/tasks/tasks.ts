import { parseInput } from '@agent-fleet/shared/contract/input';
import { type Input, type Reply, json as toReply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { type FieldError, HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { agentNotFound } from '../agents/agents.ts';
import { idInBatch, isId } from '../ids.ts';
import { ifMatch } from '../if-match.ts';
import type { Attempt, listAttempts } from './attempts-contract.ts';
import type { createTasks } from './batch-contract.ts';
import type { cancelTask } from './cancellation-contract.ts';
import type { createTask, deleteTask, listTasks, readTask, replaceTask, searchTasks } from './contract.ts';
import { type GivenTask, toGiven, toTask } from './new-task.ts';
import { type Task, type TaskInput, taskInputSchema } from './task.ts';
import { taskNotFound } from './task-not-found.ts';
import { cancel, isEnded, remove, replace } from './task-rules.ts';
import type { TaskStore } from './task-store.ts';
import { findTimeProblem } from './task-times.ts';
import type { TaskWriter } from './task-writer.ts';
import type { EndWaits } from './wait-for-end.ts';

interface Dependencies {
  store: TaskStore;
  taskWriter: TaskWriter;
  /** @throws 404 when there is no such agent */
  requireAgent(params: { agent_id: string }): Promise<void>;
  waitForEnd: EndWaits['wait'];
}

interface TaskParams {
  agent_id: string;
  task_id: string;
}

/** The operations on tasks. */
export function createTaskOperations({ store, taskWriter, requireAgent, waitForEnd }: Dependencies) {
  return {
    async list({ params, query, req }: Input<typeof listTasks>): Promise<Reply> {
      const { skip, limit, status } = query;
      const [{ json, total, passed }] = await Promise.all([
        store.list(params.agent_id, status, { skip, limit }),
        requireAgent(params),
      ]);
      return { status: 200, json, headers: pageHeaders(req.originalUrl, { skip, limit }, total, passed) };
    },

    async search({ query, req }: Input<typeof searchTasks>): Promise<Reply> {
      const { skip, limit, ...filter } = query;
      const { json, total, passed } = await store.search(filter, { skip, limit });
      return { status: 200, json, headers: pageHeaders(req.originalUrl, { skip, limit }, total, passed) };
    },

    async create({ params, body }: Input<typeof createTask>, id: string): Promise<Reply> {
      const { agent_id } = params;
      if (!isId(agent_id)) throw agentNotFound();
      const task = toTask(agent_id, id, body);
      await requirePossible(task);
      const [json = ''] = await taskWriter.create(agent_id, [task]);
      return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${agent_id}/tasks/${id}` } };
    },

    async createBatch({ params, body }: Input<typeof createTasks>, id: string): Promise<Reply> {
      const { agent_id } = params;
      await requireAgent(params);
      const checked = await Promise.all(body.tasks.map((input, at) => parseTask(agent_id, idInBatch(id, at), input)));
      const tasks = checked.filter((result) => !(result instanceof HttpError));
      const records = tasks.length > 0 ? await taskWriter.create(agent_id, tasks) : [];
      let at = 0;
      const results = checked.map((result) => {
        if (!(result instanceof HttpError)) return `{"status":201,"task":${records[at++]}}`;
        return JSON.stringify({ status: result.status, error: result.body });
      });
      return { status: 201, json: `{"results":[${results.join(',')}]}` };
    },

    async read({ params, query, res }: Input<typeof readTask>): Promise<Reply> {
      const read = () => readRecord(params);
      const json = query.wait ? await waitForEnd(params, query.wait * 1_000, res, read) : await read();
      return { status: 200, json, etag: etagOf(json) };
    },

    async replace({ params, body, req }: Input<typeof replaceTask>): Promise<Reply> {
      await requireTask(params);
      const { agent_id, task_id } = params;
      const tags = ifMatch(req.headers['if-match']);
      refuse(await findRetryProblem({ agent_id, retry_of: body.retry_of ?? null }));
      const { json } = await taskWriter.change(agent_id, task_id, (stored, now, before) => {
        requireMatch(tags, before);
        if (stored.task.status !== 'pending') {
          throw httpError(
            'task_not_editable',
            `The task is ${stored.task.status}: only a pending task can be replaced`,
          );
        }
        const fields = toGiven(body, Date.parse(stored.task.created_at));
        refuse(findTimeProblem(fields, now) ?? findAttemptsProblem(fields, stored.task));
        return replace(stored, fields, now);
      });
      return { status: 200, json, etag: etagOf(json) };
    },

    async delete({ params, req }: Input<typeof deleteTask>): Promise<Reply> {
      const { agent_id, task_id } = requireIds(params);
      const tags = ifMatch(req.headers['if-match']);
      await taskWriter.change(agent_id, task_id, (stored, _now, before) => {
        requireMatch(tags, before);
        return remove(stored);
      });
      return { status: 204 };
    },

    async cancel({ params, body }: Input<typeof cancelTask>): Promise<Reply> {
      const { agent_id, task_id } = requireIds(params);
      const { json, task } = await taskWriter.change(agent_id, task_id, (stored, now) => {
        const { status } = stored.task;
        if (status === 'cancelled') return undefined;
        if (isEnded(stored.task)) throw httpError('task_not_cancellable', `The task has ${status}`);
        return cancel(stored, body?.reason ?? null, now);
      });
      return { status: task.status === 'cancelled' ? 200 : 202, json };
    },

    async listAttempts({ params }: Input<typeof listAttempts>): Promise<Reply> {
      const [ended, json] = await Promise.all([
        store.readAttempts(params.agent_id, params.task_id),
        readRecord(params),
      ]);
      const attempts = ended.map((text) => JSON.parse(text) as Attempt);
      return toReply([...attempts, ...toRunning(JSON.parse(json) as Task)]);
    },

    requireTask,
  };

  function requireIds(params: TaskParams): TaskParams {
    if (!isId(params.agent_id)) throw agentNotFound();
    return params;
  }

  async function readRecord(params: TaskParams): Promise<string> {
    const { agent_id, task_id } = requireIds(params);
    const json = await store.read(agent_id, task_id);
    if (json === 'agent missing') throw agentNotFound();
    if (json === 'missing') throw taskNotFound();
    return json;
  }

  /** @throws 404 when there is no such agent or task */
  async function requireTask(params: TaskParams): Promise<void> {
    await readRecord(params);
  }

  /** Returns a task of a batch, or its error. */
  async function parseTask(agentId: string, id: string, input: unknown): Promise<Task | HttpError> {
    try {
      const task = toTask(agentId, id, parseInput(taskInputSchema, input) as TaskInput);
      await requirePossible(task);
      return task;
    } catch (error) {
      if (error instanceof HttpError && error.status !== 404) return error;
      throw error;
    }
  }

  /** @throws 404 of the agent, otherwise 422 */
  async function requirePossible(task: Task): Promise<void> {
    const problem = findTimeProblem(task, Date.parse(task.created_at)) ?? (await findRetryProblem(task));
    if (!problem) return;
    await requireAgent(task);
    refuse(problem);
  }

  async function findRetryProblem({
    agent_id,
    retry_of,
  }: Pick<Task, 'agent_id' | 'retry_of'>): Promise<FieldError | undefined> {
    if (retry_of === null) return undefined;
    const json = await store.read(agent_id, retry_of);
    if (json === 'agent missing') throw agentNotFound();
    if (json === 'missing') return { path: 'retry_of', code: 'unknown_task', message: 'is not a task of this agent' };
    if (isEnded(JSON.parse(json) as Task)) return undefined;
    return { path: 'retry_of', code: 'not_ended', message: 'is a task that has not ended' };
  }
}

function requireMatch(tags: string[], json: string): void {
  if (tags.length === 0 || tags.includes(etagOf(json))) return;
  throw httpError('precondition_failed', 'The record has changed; read it again');
}

function findAttemptsProblem({ max_attempts }: GivenTask, { attempt }: Task): FieldError | undefined {
  if (attempt < max_attempts) return undefined;
  const message = `must be more than the ${attempt} attempts that were made`;
  return { path: 'max_attempts', code: 'used_up', message };
}

/** @throws 422 if there is a problem */
function refuse(problem: FieldError | undefined): void {
  if (problem) throw httpError('semantic_error', `${problem.path}: ${problem.message}`, { fields: [problem] });
}

function toRunning({ status, attempt, worker_id, started_at }: Task): Attempt[] {
  if (status !== 'running') return [];
  const running = { number: attempt, worker_id: worker_id as string, started_at: started_at as string };
  return [{ ...running, ended_at: null, outcome: 'running', error: null }];
}
