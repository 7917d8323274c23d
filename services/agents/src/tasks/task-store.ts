import type { Page } from '@agent-fleet/shared/paging';
import type { RedisClient } from '@agent-fleet/shared/redis';
import type { Keys } from '../keys.ts';
import { createReadPage, type RecordPage } from '../page.ts';
import { loadScript } from '../redis-script.ts';
import type { Task } from './task.ts';

/** Tasks in Redis, each under its agent; a record is the JSON text that is served. */
export interface TaskStore {
  /** Record and indexes in one step; null when there is no such agent. */
  create(task: Task): Promise<string | null>;
  /** The record, or what is missing. */
  read(agentId: string, taskId: string): Promise<string | 'missing' | 'agent missing'>;
  list(agentId: string, status: string | undefined, page: Page): Promise<RecordPage>;
}

export function createTaskStore(redis: RedisClient, keys: Keys): TaskStore {
  const createTask = loadScript(redis, new URL('./create-task-4.lua', import.meta.url));
  const readPage = createReadPage(redis);

  return {
    async create(task) {
      const { id, agent_id } = task;
      const record = JSON.stringify(task);
      const taskKeys = [
        keys.agent(agent_id),
        keys.task(agent_id, id),
        keys.tasks(agent_id),
        keys.tasks(agent_id, 'pending'),
      ];
      return (await createTask(taskKeys, [id, record])) === 1 ? record : null;
    },

    async read(agentId, taskId) {
      // One round trip: the connection pipelines them. MGET would take a damaged record for a missing one.
      const [agent, task] = await Promise.all([redis.get(keys.agent(agentId)), redis.get(keys.task(agentId, taskId))]);
      // The tasks of a deleted agent are removed in steps.
      return agent ? (task ?? 'missing') : 'agent missing';
    },

    list: (agentId, status, page) =>
      readPage(keys.tasks(agentId, status), (taskId) => keys.task(agentId, taskId), page),
  };
}
