import type { Input } from '@agent-fleet/shared/contract/operation';
import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { isId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import { createReadPage, type RecordPage } from '../page.ts';
import type { searchTasks } from './contract.ts';
import type { Task } from './task.ts';
import { isEnded } from './task-rules.ts';

type TaskFilter = Omit<Input<typeof searchTasks>['query'], keyof Page>;

const NOTHING: RecordPage = { total: 0, passed: 0, json: '[]' };

export type TaskStore = ReturnType<typeof createTaskStore>;

/** Reads tasks. A record is the served JSON text. `TaskWriter` writes them. */
export function createTaskStore(redis: RedisClient, keys: Keys) {
  const readPage = createReadPage(redis);

  function list(agentId: string, status: string | undefined, page: Page): Promise<RecordPage> {
    return readPage(keys.tasks(agentId, status), (taskId) => keys.task(agentId, taskId), page);
  }

  async function readType(agentId: string): Promise<string | undefined> {
    const agent = await redis.get(keys.agent(agentId));
    return agent ? (JSON.parse(agent) as { type: string }).type : undefined;
  }

  return {
    list,

    /** Returns the record, or what is missing. */
    async read(agentId: string, taskId: string): Promise<string | 'missing' | 'agent missing'> {
      // One round trip by auto-pipelining. MGET returns nil for a key of another type, GET an error.
      const [agent, task] = await Promise.all([redis.get(keys.agent(agentId)), redis.get(keys.task(agentId, taskId))]);
      // Tasks of a deleted agent are removed in steps.
      return agent ? (task ?? 'missing') : 'agent missing';
    },

    /** Whether the task has ended; true for one that does not exist. */
    async hasEnded(agentId: string, taskId: string): Promise<boolean> {
      const json = await redis.get(keys.task(agentId, taskId));
      return json === null || isEnded(JSON.parse(json) as Task);
    },

    /** Returns ended attempts as JSON texts, oldest first. */
    readAttempts: (agentId: string, taskId: string) => redis.lrange(keys.attempts(agentId, taskId), 0, -1),

    /** Searches the tasks of all agents. */
    async search({ agent_id, type, status, tag }: TaskFilter, page: Page): Promise<RecordPage> {
      if (agent_id === undefined) {
        const toKey = (member: string) => keys.task(...(member.split(' ').reverse() as [string, string]));
        return readPage(keys.fleetTasks({ type, tag, status }), toKey, page);
      }
      // `fleet` would name an index of the fleet.
      if (!isId(agent_id)) return NOTHING;
      if (type !== undefined && (await readType(agent_id)) !== type) return NOTHING;
      if (tag === undefined) return list(agent_id, status, page);
      const index = keys.fleetTasks({ agent: agent_id, tag, status });
      return readPage(index, (taskId) => keys.task(agent_id, taskId), page);
    },
  };
}
