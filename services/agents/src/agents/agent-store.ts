import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { isId } from '../contract/ids.ts';
import type { Kept, KeptReply } from '../idempotency/idempotency.ts';
import type { Keys } from '../redis/keys.ts';
import type { RecordPage } from '../redis/page.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Agent } from './contract.ts';

/** Agents per call: more would take longer than 1 ms. */
const AGENTS_PER_CALL = 200;

type Refused = { outcome: 'missing' } | { outcome: 'stale' };

export type AgentStore = ReturnType<typeof createAgentStore>;

/**
 * Stores agents in Redis, each change by one script. The served JSON is stored in three parts, so that the scripts of
 * tasks can change the status alone: `head`, `status` and `tail`.
 */
export function createAgentStore(redis: RedisClient, keys: Keys) {
  const createAgent = loadFleetScript(redis, keys, 'create-agent');
  const replaceAgent = loadFleetScript(redis, keys, 'replace-agent');
  const readAgents = loadFleetScript(redis, keys, 'read-agents');
  const deleteAgent = loadFleetScript(redis, keys, 'delete-agent');

  async function read(agentId: string): Promise<string | undefined> {
    if (!isId(agentId)) return undefined;
    const [head, status, tail] = await redis.hmget(keys.agent(agentId), 'head', 'status', 'tail');
    return head ? `${head}${status}${tail}` : undefined;
  }

  return {
    read,

    exists: async (agentId: string): Promise<boolean> =>
      isId(agentId) && (await redis.exists(keys.agent(agentId))) === 1,

    async list(filter: { status?: string; type?: string }, { skip, limit }: Page): Promise<RecordPage> {
      const index = keys.agents(filter);
      const records: string[] = [];
      for (;;) {
        const step = { skip: skip + records.length, limit: Math.min(limit - records.length, AGENTS_PER_CALL) };
        const [total, ...found] = (await readAgents({ index, ...step })) as [number, ...string[]];
        records.push(...found);
        if (found.length < step.limit || records.length === limit) {
          return { total, passed: records.length, records };
        }
      }
    },

    async create(agent: Agent, kept: Kept | undefined): Promise<{ outcome: 'created'; json: string } | KeptReply> {
      const { id, type, status, created_at } = agent;
      const json = JSON.stringify(agent);
      const args = { id, type, status, at: Date.parse(created_at), kept };
      const tail = toTail(agent);
      const reply = kept ? `${kept.body} ${json}` : '';
      const [outcome, value] = await createAgent(args, json.slice(0, -(status.length + tail.length)), tail, reply);
      return outcome === 'kept' ? { outcome, value: value as string } : { outcome: 'created', json };
    },

    /** With `etags`, only if one of them is that of the record. `retypes`: its tasks must move to another type. */
    async replace(
      agentId: string,
      fields: Pick<Agent, 'name' | 'type'>,
      etags: string[],
      at: number,
    ): Promise<{ outcome: 'replaced'; json: string; retypes: boolean } | Refused> {
      const { name, type } = fields;
      const head = `${JSON.stringify({ id: agentId, name, type }).slice(0, -1)},"status":"`;
      const args = { id: agentId, type, at, etags, data: JSON.stringify({ name, type }) };
      const [outcome, json, retypes] = await replaceAgent(args, head);
      if (outcome !== 'replaced') return { outcome: outcome as Refused['outcome'] };
      return { outcome, json: json as string, retypes: retypes === 1 };
    },

    /** With `etags`, only if one of them is that of the record. Its tasks are left to `AgentTasks.purge`. */
    async delete(agentId: string, etags: string[], at: number): Promise<{ outcome: 'deleted' } | Refused> {
      const [outcome] = await deleteAgent({ id: agentId, at, etags });
      return { outcome: outcome as 'deleted' | Refused['outcome'] };
    },
  };
}

/** The record after its status. */
function toTail({ created_at }: Agent): string {
  return `${'","created_at":"'}${created_at}"}`;
}
