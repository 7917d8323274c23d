import type { Page } from '@agent-fleet/shared/paging';
import type { RedisClient } from '@agent-fleet/shared/redis';
import type { Keys } from '../keys.ts';
import { createReadSmallPage, type RecordPage } from '../page.ts';
import { loadScript } from '../redis-script.ts';
import { type AgentIndex, createAgentIndex } from './agent-index.ts';

export interface Agent {
  id: string;
  name: string;
  type: string;
  status: 'idle' | 'active' | 'error' | 'offline';
  created_at: string;
}

/** What became of a conditional change: its result, or why it was not made. */
export type Changed<T> = T | 'missing' | 'stale';

/** Agents in Redis. A record is the JSON text that is served; an acknowledged change has reached every index. */
export interface AgentStore {
  create(agent: Agent): Promise<string>;
  read(agentId: string): Promise<string | null>;
  exists(agentId: string): Promise<boolean>;
  list(filter: { status?: string; type?: string }, page: Page): Promise<RecordPage>;
  /** Atomic; with `etags`, only if one of them is the record's. */
  replace(agentId: string, fields: Pick<Agent, 'name' | 'type'>, etags: string[]): Promise<Changed<string>>;
  /** Deletes the agent, then its tasks in steps; with `etags`, only if one of them is the record's. */
  delete(agentId: string, etags: string[]): Promise<Changed<'deleted'>>;
  index: AgentIndex;
}

export function createAgentStore(redis: RedisClient, keys: Keys): AgentStore {
  const replaceAgent = loadScript(redis, new URL('./replace-agent-2.lua', import.meta.url));
  const deleteAgent = loadScript(redis, new URL('./delete-agent-2.lua', import.meta.url));
  const readPage = createReadSmallPage(redis);
  const index = createAgentIndex(redis, keys);
  const keysOf = (agentId: string) => [keys.agent(agentId), keys.agentVersion(agentId)];

  return {
    index,

    async create(agent) {
      const record = JSON.stringify(agent);
      await index.follow(agent.id, () => redis.set(keys.agent(agent.id), record, 'NX'));
      return record;
    },

    read: (agentId) => redis.get(keys.agent(agentId)),

    exists: async (agentId) => (await redis.exists(keys.agent(agentId))) === 1,

    list: (filter, page) => readPage(keys.agents(filter), keys.agent, page),

    replace(agentId, { name, type }, etags) {
      const head = `${JSON.stringify({ id: agentId, name, type }).slice(0, -1)},`;
      return index.follow(agentId, async () => {
        const reply = await replaceAgent(keysOf(agentId), [head, ...etags]);
        return Array.isArray(reply) ? (reply[0] as string) : refusal(reply);
      });
    },

    delete: (agentId, etags) =>
      index.follow(agentId, async () => {
        const reply = await deleteAgent(keysOf(agentId), etags);
        return reply === 1 ? 'deleted' : refusal(reply);
      }),
  };
}

function refusal(reply: unknown): 'missing' | 'stale' {
  return reply === 0 ? 'missing' : 'stale';
}
