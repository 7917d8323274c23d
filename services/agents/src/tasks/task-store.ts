import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { isId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import { createReadPage, type RecordPage } from '../page.ts';
import { readFleetPage, type TaskFilter } from './fleet-page.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

/** Reads of tasks; a record is the JSON text that is served. Changes are made by `TaskChanges`. */
export interface TaskStore {
  /** The record, or what is missing. */
  read(agentId: string, taskId: string): Promise<string | 'missing' | 'agent missing'>;
  /** Whether it has ended; true also of one that is not there. */
  hasEnded(agentId: string, taskId: string): Promise<boolean>;
  /** Ended attempts as JSON texts, oldest first. */
  readAttempts(agentId: string, taskId: string): Promise<string[]>;
  list(agentId: string, status: string | undefined, page: Page): Promise<RecordPage>;
  /** Tasks of all agents. */
  search(filter: TaskFilter, page: Page): Promise<RecordPage>;
}

export function createTaskStore(redis: RedisClient, keys: Keys): TaskStore {
  const readPage = createReadPage(redis);
  const list: TaskStore['list'] = (agentId, status, page) =>
    readPage(keys.tasks(agentId, status), (taskId) => keys.task(agentId, taskId), page);

  return {
    async read(agentId, taskId) {
      // One round trip: the connection pipelines them. MGET would take a damaged record for a missing one.
      const [agent, task] = await Promise.all([redis.get(keys.agent(agentId)), redis.get(keys.task(agentId, taskId))]);
      // The tasks of a deleted agent are removed in steps.
      return agent ? (task ?? 'missing') : 'agent missing';
    },

    async hasEnded(agentId, taskId) {
      const json = await redis.get(keys.task(agentId, taskId));
      return json === null || isEnded(JSON.parse(json) as Task);
    },

    readAttempts: (agentId, taskId) => redis.lrange(keys.attempts(agentId, taskId), 0, -1),

    list,

    async search({ agent_id, type, status, tag }, page) {
      if (agent_id === undefined) return readFleetPage(redis, keys, keys.fleetTasks({ type, tag, status }), page);
      // `fleet` would name an index of the fleet's.
      if (!isId(agent_id)) return { total: 0, passed: 0, json: '[]' };
      if (type !== undefined && (await readType(agent_id)) !== type) return { total: 0, passed: 0, json: '[]' };
      if (tag === undefined) return list(agent_id, status, page);
      const index = keys.fleetTasks({ agent: agent_id, tag, status });
      return readPage(index, (taskId) => keys.task(agent_id, taskId), page);
    },
  };

  async function readType(agentId: string): Promise<string | undefined> {
    const agent = await redis.get(keys.agent(agentId));
    return agent ? (JSON.parse(agent) as { type: string }).type : undefined;
  }
}
