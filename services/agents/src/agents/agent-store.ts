import type { Page } from '@agent-fleet/shared/contract/paging';
import { isId } from '../contract/ids.ts';
import type { RecordQuota } from '../contract/quotas.ts';
import type { Kept, KeptReply } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { RecordPage } from '../redis/page.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Agent } from './contract.ts';

/** The fields of an agent that make its served JSON. */
const PARTS = ['head', 'status', 'tail'];

interface AgentFilter {
  status?: string;
  type?: string;
}

type Refused = { outcome: 'missing' } | { outcome: 'stale' };

export type AgentStore = ReturnType<typeof createAgentStore>;

/**
 * Stores agents in Redis, each change by one script. The served JSON is stored in three parts, so that the scripts of
 * tasks can change the status alone: `head`, `status` and `tail`.
 */
export function createAgentStore({ redis, keys }: FleetContext) {
  const createAgent = loadFleetScript(redis, keys, 'create-agent');
  const replaceAgent = loadFleetScript(redis, keys, 'replace-agent');
  const deleteAgent = loadFleetScript(redis, keys, 'delete-agent');

  async function read(agentId: string): Promise<string | undefined> {
    if (!isId(agentId)) return undefined;
    return join(await redis.hmget(keys.agent(agentId), ...PARTS));
  }

  /** Reads agents by rank, in one round trip: with BY nosort, SORT reads a zset by rank. A cluster refuses its GET. */
  async function readRange(index: string, skip: number, limit: number): Promise<(string | undefined)[]> {
    if (redis.isCluster) return Promise.all((await redis.zrange(index, skip, `${skip + limit - 1}`)).map(read));
    const fields = PARTS.flatMap((part) => ['GET', `${keys.agent('*')}->${part}`]);
    const texts = (await redis.call('sort', index, 'BY', 'nosort', 'LIMIT', skip, limit, ...fields)) as string[];
    const count = texts.length / PARTS.length;
    return Array.from({ length: count }, (_, at) => join(texts.slice(at * PARTS.length, (at + 1) * PARTS.length)));
  }

  /** The same of at most 100 agents, which are read one by one. */
  async function listOf(ids: string[], filter: AgentFilter, { skip, limit }: Page): Promise<RecordPage> {
    const all = await Promise.all(ids.map((id) => redis.hmget(keys.agent(id), ...PARTS, 'type')));
    const found = all.filter(([head, status, , type]) => {
      if (head === null) return false;
      return (filter.status ?? status) === status && (filter.type ?? type) === type;
    });
    const page = found.slice(skip, skip + limit);
    return { total: found.length, passed: page.length, records: page.map((parts) => parts.slice(0, -1).join('')) };
  }

  return {
    read,

    exists: async (agentId: string): Promise<boolean> =>
      isId(agentId) && (await redis.exists(keys.agent(agentId))) === 1,

    /** With `visible`, only those of these agents. */
    async list(filter: AgentFilter, { skip, limit }: Page, visible?: ReadonlySet<string>): Promise<RecordPage> {
      if (visible) return listOf([...visible].sort(), filter, { skip, limit });
      const index = keys.agents(filter);
      const [found, total] = await Promise.all([readRange(index, skip, limit), redis.zcard(index)]);
      return { total, passed: found.length, records: found.filter((record) => record !== undefined) };
    },

    async create(
      agent: Agent,
      kept: Kept | undefined,
      quota: RecordQuota | undefined,
    ): Promise<{ outcome: 'created'; json: string } | { outcome: 'full' } | KeptReply> {
      const { id, type, status, created_at } = agent;
      const json = JSON.stringify(agent);
      const args = { id, type, status, at: Date.parse(created_at), kept, quota };
      const tail = toTail(agent);
      const reply = kept ? `${kept.bodyDigest} ${json}` : '';
      const [outcome, value] = await createAgent(args, json.slice(0, -(status.length + tail.length)), tail, reply);
      if (outcome === 'kept') return { outcome, value: value as string };
      return outcome === 'full' ? { outcome } : { outcome: 'created', json };
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

/** Joins the parts of a record; undefined when there is no such agent. */
function join(parts: (string | null)[]): string | undefined {
  return parts[0] === null ? undefined : parts.join('');
}

/** The record after its status. */
function toTail({ created_at }: Agent): string {
  return `${'","created_at":"'}${created_at}"}`;
}
