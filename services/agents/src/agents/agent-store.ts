import { isId } from '@agent-fleet/shared/ids';
import { type ListPage, pageOf, type RecordPage, refuseDeepSkip } from '../contract/lists.ts';
import type { RecordQuota } from '../contract/quotas.ts';
import type { Kept, KeptReply } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentIndex } from '../redis/keys.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Agent } from './contract.ts';
import type { Pause } from './pause-contract.ts';

/** The fields of an agent that make its served JSON. */
const PARTS = ['head', 'status', 'tail'];
/** Field of a paused agent that only lists return, on request. */
const PAUSED_AT = 'paused_at';

/** Agents that are read for a page by a cursor at most, and at once. */
const MAX_SCANNED = 20_000;
const SCAN_STEP = 1_000;

type Refused = { outcome: 'missing' } | { outcome: 'stale' };

export type AgentStore = ReturnType<typeof createAgentStore>;

/**
 * Stores agents in Redis, each change by one script, with its `audit` entry if it has one. The served JSON is stored in
 * three parts, so that the scripts of tasks can change the status alone: `head`, `status` and `tail`.
 */
export function createAgentStore(context: FleetContext) {
  const { redis, keys } = context;
  const createAgent = loadFleetScript(context, 'create-agent');
  const replaceAgent = loadFleetScript(context, 'replace-agent');
  const deleteAgent = loadFleetScript(context, 'delete-agent');
  const pauseAgent = loadFleetScript(context, 'pause-agent');
  const resumeAgent = loadFleetScript(context, 'resume-agent');

  async function read(agentId: string): Promise<string | undefined> {
    if (!isId(agentId)) return undefined;
    return join(await redis.hmget(keys.agent(agentId), ...PARTS));
  }

  /**
   * Reads agents by rank, in one round trip: with BY nosort, SORT reads a zset by rank. A cluster refuses its GET. To
   * Redis SORT is a write, which a server without replicas or memory refuses; SORT_RO is not.
   */
  async function readAgents(index: string, page: ListPage, parts: string[]): Promise<(string | undefined)[]> {
    const { skip, limit, order } = page;
    if (redis.isCluster) {
      const last = `${skip + limit - 1}`;
      const ids = order === 'desc' ? redis.zrange(index, skip, last, 'REV') : redis.zrange(index, skip, last);
      return readEach(await ids, parts);
    }
    const fields = parts.flatMap((part) => ['GET', `${keys.agent('*')}->${part}`]);
    const words = ['BY', 'nosort', 'LIMIT', skip, limit, ...fields, order === 'desc' ? 'DESC' : 'ASC'];
    const texts = (await redis.call('sort_ro', index, ...words)) as (string | null)[];
    const count = texts.length / parts.length;
    return Array.from({ length: count }, (_, at) => join(texts.slice(at * parts.length, (at + 1) * parts.length)));
  }

  const readEach = (ids: string[], parts: string[]) =>
    Promise.all(ids.map(async (id) => join(await redis.hmget(keys.agent(id), ...parts))));

  /**
   * Reads a page by a cursor, perhaps of agents that are not paused. Many that are may be between these: then the page
   * is shorter.
   */
  async function listByCursor(filter: AgentIndex, page: ListPage, parts: string[]): Promise<RecordPage> {
    const { skip, limit } = page;
    const hidden = filter.paused === false ? keys.agents({ ...filter, paused: true }) : undefined;
    const index = keys.agents(hidden === undefined ? filter : { ...filter, paused: false });
    const counts = Promise.all([redis.zcard(index), hidden === undefined ? 0 : redis.zcard(hidden)]);
    const found: string[] = [];
    let { after } = page;
    let isLast = false;
    for (let scanned = 0; !isLast && found.length <= skip + limit && scanned < MAX_SCANNED; scanned += SCAN_STEP) {
      const ids = await readFollowing(index, after, page.order);
      const scores = hidden !== undefined && ids.length > 0 ? await redis.zmscore(hidden, ...ids) : [];
      found.push(...ids.filter((_, at) => scores[at] == null));
      after = ids.at(-1) ?? after;
      isLast = ids.length < SCAN_STEP;
    }
    const ids = found.slice(skip, skip + limit);
    const [all, others] = await counts;
    const continued = isLast ? null : { after: after as string, skip: Math.max(0, skip - found.length) };
    const next = found.length > skip + limit ? { after: ids.at(-1) as string } : continued;
    return { total: all - others, ...toRecords(await readEach(ids, parts)), next };
  }

  function readFollowing(index: string, after: string | undefined, order: ListPage['order']): Promise<string[]> {
    const from = after === undefined ? undefined : (`(${after}` as const);
    return order === 'desc'
      ? redis.zrange(index, from ?? '+', '-', 'BYLEX', 'REV', 'LIMIT', 0, SCAN_STEP)
      : redis.zrange(index, from ?? '-', '+', 'BYLEX', 'LIMIT', 0, SCAN_STEP);
  }

  /** Reads a page of at most 100 agents, which are read one by one. */
  async function listOf(visible: ReadonlySet<string>, filter: AgentIndex, page: ListPage, parts: string[]) {
    const rows = await Promise.all(
      [...visible].map(async (id) => [id, await redis.hmget(keys.agent(id), 'type', PAUSED_AT, ...parts)] as const),
    );
    const matching = rows.filter(([, [type, pausedAt, head, status]]) => {
      if (head === null) return false;
      const isPaused = pausedAt !== null;
      const { status: wantedStatus = status, type: wantedType = type, paused = isPaused } = filter;
      return wantedStatus === status && wantedType === type && paused === isPaused;
    });
    const records = new Map(matching.map(([id, [, , ...texts]]) => [id, join(texts)]));
    const { ids, ...found } = pageOf([...records.keys()].sort(), page);
    return { ...found, ...toRecords(ids.map((id) => records.get(id))) };
  }

  return {
    read,

    exists: async (agentId: string): Promise<boolean> =>
      isId(agentId) && (await redis.exists(keys.agent(agentId))) === 1,

    /** With `visible`, only those of these agents. With `paused_at` among `fields`, the records have it too. */
    async list(
      filter: AgentIndex,
      page: ListPage,
      fields?: readonly string[],
      visible?: ReadonlySet<string>,
    ): Promise<RecordPage> {
      const parts = fields?.includes(PAUSED_AT) ? [...PARTS, PAUSED_AT] : PARTS;
      const isByCursor = filter.paused === false || page.after !== undefined;
      if (visible || isByCursor) refuseDeepSkip(page);
      if (visible) return listOf(visible, filter, page, parts);
      if (isByCursor) return listByCursor(filter, page, parts);
      const index = keys.agents(filter);
      const [found, total] = await Promise.all([readAgents(index, page, parts), redis.zcard(index)]);
      return { total, ...toRecords(found) };
    },

    async create(
      agent: Agent,
      kept: Kept | undefined,
      quota: RecordQuota | undefined,
      audit: string | undefined,
    ): Promise<{ outcome: 'created'; json: string } | { outcome: 'full' } | KeptReply> {
      const { id, type, status, created_at } = agent;
      const json = JSON.stringify(agent);
      const args = { id, type, status, at: Date.parse(created_at), kept, quota, audit };
      const tail = toTail(agent);
      const reply = kept ? `${kept.bodyDigest} ${json}` : '';
      const [outcome, value] = await createAgent(args, json.slice(0, -(status.length + tail.length)), tail, reply);
      if (outcome === 'kept') return { outcome, value: value as string };
      return outcome === 'full' ? { outcome } : { outcome: 'created', json };
    },

    /** With `etags`, only if one of them is that of the record. */
    async replace(
      agentId: string,
      fields: Pick<Agent, 'name' | 'type'>,
      etags: string[],
      at: number,
      audit: string | undefined,
    ): Promise<{ outcome: 'replaced'; json: string } | Refused> {
      const { name, type } = fields;
      const head = `${JSON.stringify({ id: agentId, name, type }).slice(0, -1)},"status":"`;
      const args = { id: agentId, type, at, etags, data: JSON.stringify({ name, type }), audit };
      const [outcome, json] = await replaceAgent(args, head);
      if (outcome !== 'replaced') return { outcome: outcome as Refused['outcome'] };
      return { outcome, json: json as string };
    },

    /** With `etags`, only if one of them is that of the record. Its tasks are left to `AgentTasks.purge`. */
    async delete(
      agentId: string,
      etags: string[],
      at: number,
      audit: string | undefined,
    ): Promise<{ outcome: 'deleted' } | Refused> {
      const [outcome] = await deleteAgent({ id: agentId, at, etags, audit });
      return { outcome: outcome as 'deleted' | Refused['outcome'] };
    },

    /** Pauses an agent, or changes why it is paused. Undefined when there is no such agent. */
    async pause(
      agentId: string,
      reason: string | null,
      at: number,
      audit: string | undefined,
    ): Promise<Pause | undefined> {
      const [outcome, paused_at] = await pauseAgent(
        { id: agentId, at, time: new Date(at).toISOString(), audit },
        JSON.stringify(reason),
      );
      return outcome === 'paused' ? { paused_at: paused_at as string, reason } : undefined;
    },

    /** Undefined when there is no such agent, null when it is not paused. */
    async readPause(agentId: string): Promise<Pause | null | undefined> {
      if (!isId(agentId)) return undefined;
      const [head, paused_at, reason] = await redis.hmget(keys.agent(agentId), 'head', PAUSED_AT, 'paused_reason');
      if (head === null) return undefined;
      return paused_at && reason ? { paused_at, reason: JSON.parse(reason) } : null;
    },

    /** Returns whether the agent exists. */
    async resume(agentId: string, at: number, audit: string | undefined): Promise<boolean> {
      const [outcome] = await resumeAgent({ id: agentId, at, audit });
      return outcome === 'resumed';
    },
  };
}

/** Leaves out those that were deleted meanwhile. */
function toRecords(found: (string | undefined)[]): Omit<RecordPage, 'total'> {
  return { passed: found.length, records: found.filter((record) => record !== undefined) };
}

/** Joins the parts of a record, and adds `paused_at` if it was read; undefined when there is no such agent. */
function join(parts: (string | null)[]): string | undefined {
  const [head, status, tail, pausedAt] = parts;
  if (head === null) return undefined;
  const json = `${head}${status}${tail}`;
  return pausedAt === undefined ? json : `${json.slice(0, -1)},"${PAUSED_AT}":${JSON.stringify(pausedAt)}}`;
}

/** The record after its status. */
function toTail({ created_at }: Agent): string {
  return `${'","created_at":"'}${created_at}"}`;
}
