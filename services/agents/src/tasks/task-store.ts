import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { isId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import { createReadPage, type RecordPage } from '../page.ts';
import { readFleetPage, type TaskFilter } from './fleet-page.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

/** Reads tasks. A record is the served JSON text. `TaskChanges` writes them. */
export interface TaskStore {
  /** The record, or what is missing. */
  read(agentId: string, taskId: string): Promise<string | 'missing' | 'agent missing'>;
  /** Whether the task has ended; true for one that does not exist. */
  hasEnded(agentId: string, taskId: string): Promise<boolean>;
  /** Ended attempts as JSON texts, oldest first. */
  readAttempts(agentId: string, taskId: string): Promise<string[]>;
  list(agentId: string, status: string | undefined, page: Page): Promise<RecordPage>;
  /** Searches the tasks of all agents. */
  search(filter: TaskFilter, page: Page): Promise<RecordPage>;
}

export function createTaskStore(redis: RedisClient, keys: Keys): TaskStore {
  const readPage = createReadPage(redis);
  const list: TaskStore['list'] = (agentId, status, page) =>
    readPage(keys.tasks(agentId, status), (taskId) => keys.task(agentId, taskId), page);

  return {
    async read(agentId, taskId) {
      // One round trip by auto-pipelining. MGET returns nil for a key of another type, GET an error.
      const [agent, task] = await Promise.all([redis.get(keys.agent(agentId)), redis.get(keys.task(agentId, taskId))]);
      // Tasks of a deleted agent are removed in steps.
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
      // `fleet` would name an index of the fleet.
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
