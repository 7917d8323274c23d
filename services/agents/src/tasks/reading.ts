import { type Input, type Reply, json as toJson } from '@agent-fleet/shared/contract/operation';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { NOTHING_USED } from '../agent-work/used.ts';
import { visibleAgents } from '../contract/callers.ts';
import { toPageReply } from '../contract/lists.ts';
import { notFound, type RequireAgent, type TaskParams } from '../contract/parameters.ts';
import type { Attempt, listAttempts } from './attempts-contract.ts';
import type { listTasks, readTask, readThread, searchTasks } from './contract.ts';
import type { TaskWithState } from './rules/task-state.ts';
import type { TaskReader } from './store/task-reader.ts';
import type { TaskSearch } from './store/task-search.ts';
import type { Task } from './task.ts';
import { readThread as readTasksOfThread } from './thread.ts';
import type { WaitForEnd } from './wait-for-end.ts';

interface ReadingParts {
  reader: TaskReader;
  search: TaskSearch;
  requireAgent: RequireAgent;
  waitForEnd: WaitForEnd;
}

/** The operations that read tasks. */
export function createReading({ reader, search, requireAgent, waitForEnd }: ReadingParts) {
  async function readRecord({ agent_id, task_id }: TaskParams): Promise<string> {
    const found = await reader.read(agent_id, task_id);
    if (found.outcome !== 'found') throw notFound(found);
    return found.json;
  }

  return {
    async list({ params, query, req }: Input<typeof listTasks>): Promise<Reply> {
      const { status, fields, ...page } = query;
      const [found] = await Promise.all([search.list(params.agent_id, status, page), requireAgent(params)]);
      return toPageReply(req.originalUrl, page, found, fields);
    },

    async search({ query, req }: Input<typeof searchTasks>): Promise<Reply> {
      const { skip, limit, after, fields, order = query.q === undefined ? 'asc' : 'desc', ...filter } = query;
      const page = { skip, limit, order, after };
      const found = await search.search(filter, page, visibleAgents(req));
      return toPageReply(req.originalUrl, page, found, fields);
    },

    async read({ params, query, res }: Input<typeof readTask>): Promise<Reply> {
      const read = () => readRecord(params);
      const wait = { timeoutMs: (query.wait ?? 0) * 1_000, until: query.until, res, read };
      const json = query.wait ? await waitForEnd(params, wait) : await read();
      return { status: 200, json, etag: etagOf(json) };
    },

    async readThread({ params, query, req }: Input<typeof readThread>): Promise<Reply> {
      const records = await readTasksOfThread(reader, params);
      const page = { skip: 0, limit: records.length };
      return toPageReply(
        req.originalUrl,
        page,
        { records, total: records.length, passed: records.length },
        query.fields,
      );
    },

    async listAttempts({ params, query }: Input<typeof listAttempts>): Promise<Reply> {
      const { agent_id, task_id } = params;
      const read = [reader.readAttempts(task_id), reader.readForChange(agent_id, task_id)] as const;
      const [ended, found] = await Promise.all(read);
      if (found.outcome !== 'found') throw notFound(found);
      const attempts = ended.map((text) => JSON.parse(text) as Attempt);
      const listed = query.all ? attempts : attempts.filter((attempt) => isCounted(attempt, attempts, found.task));
      return toJson([...listed, ...toRunning(found)]);
    },

    /** @throws 404 when there is no such agent or task */
    async requireTask(params: TaskParams): Promise<void> {
      await readRecord(params);
    },
  };
}

/** A released attempt counts where it ended a task whose cancellation was requested. */
function isCounted(attempt: Attempt, attempts: readonly Attempt[], { status, attempt: number }: Task): boolean {
  if (attempt.outcome !== 'released') return true;
  return status === 'cancelled' && attempt === attempts.at(-1) && attempt.number === number;
}

function toRunning({ task, state }: TaskWithState): Attempt[] {
  const { attempt, worker_id, started_at } = task;
  if (!state.lease) return [];
  const running = { number: attempt, worker_id: worker_id as string, started_at: started_at as string };
  return [{ ...running, ended_at: null, outcome: 'running', error: null, ...(state.lease.used ?? NOTHING_USED) }];
}
