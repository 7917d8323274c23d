import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import { toEventJson } from '../events/event.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Keys } from '../keys.ts';
import { createReadSmallPage } from '../page.ts';
import type { AgentTasks } from '../tasks/agent-tasks.ts';
import type { Agent } from './contract.ts';

/** The outcome of a conditional change: its result, or why it was refused. */
export type Changed<T> = T | 'missing' | 'stale';

export type AgentStore = ReturnType<typeof createAgentStore>;

/** Stores agents in Redis. A record is the served JSON text. An acknowledged change is visible in every index. */
export function createAgentStore(redis: RedisClient, keys: Keys, fleet: Fleet, agentTasks: AgentTasks) {
  const createAgent = loadScript(redis, new URL('./create-agent-3.lua', import.meta.url));
  const replaceAgent = loadScript(redis, new URL('./replace-agent-3.lua', import.meta.url));
  const deleteAgent = loadScript(redis, new URL('./delete-agent-3.lua', import.meta.url));
  const readPage = createReadSmallPage(redis);
  const keysOf = (agentId: string) => [keys.agent(agentId), keys.agentSeq(agentId), keys.agentEvents(agentId)];

  return {
    async create(agent: Agent): Promise<string> {
      const { id, status, type, created_at } = agent;
      const record = JSON.stringify(agent);
      const json = toEventJson({ type: 'agent.created', agentId: id, status, at: created_at });
      const entry = await fleet.openOutboxEntry(id);
      await createAgent(keysOf(id), [record, json, status, type]);
      await fleet.apply({ agentId: id, first: 1, events: [{ json, status, type }], length: 1 });
      await fleet.complete({ agentId: id, entry });
      return record;
    },

    read: (agentId: string) => redis.get(keys.agent(agentId)),

    exists: async (agentId: string) => (await redis.exists(keys.agent(agentId))) === 1,

    list: (filter: { status?: string; type?: string }, page: Page) => readPage(keys.agents(filter), keys.agent, page),

    /** Atomic. With `etags`, only if one of them matches the record. */
    async replace(
      agentId: string,
      { name, type }: Pick<Agent, 'name' | 'type'>,
      etags: string[],
    ): Promise<Changed<string>> {
      const head = `${JSON.stringify({ id: agentId, name, type }).slice(0, -1)},`;
      const json = toEventJson({ type: 'agent.replaced', agentId, at: new Date().toISOString(), data: { name, type } });
      const entry = await fleet.openOutboxEntry(agentId);
      const reply = await replaceAgent(keysOf(agentId), [head, json, type, ...etags]);
      if (!Array.isArray(reply)) return refuse(agentId, entry, reply);
      const [record, first, length, typeBefore] = reply as [string, number, number, string];
      await fleet.apply({ agentId, first, length, events: [{ json, status: '', type }] });
      if (typeBefore !== type) await agentTasks.reindexType(agentId);
      await fleet.complete({ agentId, entry });
      return record;
    },

    /** Deletes the agent, then its tasks in steps. With `etags`, only if one of them matches the record. */
    async delete(agentId: string, etags: string[]): Promise<Changed<'deleted'>> {
      const json = toEventJson({ type: 'agent.deleted', agentId, status: 'deleted', at: new Date().toISOString() });
      const entry = await fleet.openOutboxEntry(agentId);
      const reply = await deleteAgent(keysOf(agentId), [json, ...etags]);
      if (!Array.isArray(reply)) return refuse(agentId, entry, reply);
      const [first] = reply as [number];
      await fleet.apply({ agentId, first, length: 1, events: [{ json, status: 'deleted' }] });
      await agentTasks.purge(agentId);
      await fleet.complete({ agentId, entry });
      return 'deleted';
    },
  };

  async function refuse(agentId: string, entry: string, reply: unknown): Promise<'missing' | 'stale'> {
    await fleet.complete({ agentId, entry });
    return reply === 0 ? 'missing' : 'stale';
  }
}
