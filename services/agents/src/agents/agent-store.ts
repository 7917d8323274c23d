import { isId } from '@agent-fleet/shared/ids';
import type { RecordQuota } from '../contract/callers.ts';
import { type ListPage, pageOf, type RecordPage, refuseDeepSkip } from '../contract/lists.ts';
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

/**
 * Stores agents in Redis, each change by one script, with its `audit` entry if it has one. The served JSON is stored in
 * three parts, so that the scripts of tasks can change the status alone: `head`, `status` and `tail`.
 */
export class AgentStore {
  readonly #redis;
  readonly #keys;
  readonly #countUnpaused;
  readonly #createAgent;
  readonly #replaceAgent;
  readonly #deleteAgent;
  readonly #pauseAgent;
  readonly #resumeAgent;

  constructor(context: FleetContext) {
    this.#redis = context.redis;
    this.#keys = context.keys;
    this.#countUnpaused = loadFleetScript(context, 'agents/count-unpaused');
    this.#createAgent = loadFleetScript(context, 'agents/create-agent');
    this.#replaceAgent = loadFleetScript(context, 'agents/replace-agent');
    this.#deleteAgent = loadFleetScript(context, 'agents/delete-agent');
    this.#pauseAgent = loadFleetScript(context, 'agents/pause-agent');
    this.#resumeAgent = loadFleetScript(context, 'agents/resume-agent');
  }

  async read(agentId: string): Promise<string | undefined> {
    if (!isId(agentId)) return undefined;
    return join(await this.#redis.hmget(this.#keys.agent(agentId), ...PARTS));
  }

  /**
   * Reads agents by rank, in one round trip: with BY nosort, SORT reads a zset by rank. A cluster refuses its GET. To
   * Redis SORT is a write, which a server without replicas or memory refuses; SORT_RO is not.
   */
  async #readAgents(index: string, page: ListPage, parts: string[]): Promise<(string | undefined)[]> {
    const { skip, limit, order } = page;
    if (this.#redis.isCluster) {
      const last = `${skip + limit - 1}`;
      const ids =
        order === 'desc' ? this.#redis.zrange(index, skip, last, 'REV') : this.#redis.zrange(index, skip, last);
      return this.#readEach(await ids, parts);
    }
    const fields = parts.flatMap((part) => ['GET', `${this.#keys.agent('*')}->${part}`]);
    const words = ['BY', 'nosort', 'LIMIT', skip, limit, ...fields, order === 'desc' ? 'DESC' : 'ASC'];
    const texts = (await this.#redis.call('sort_ro', index, ...words)) as (string | null)[];
    const count = texts.length / parts.length;
    return Array.from({ length: count }, (_, at) => join(texts.slice(at * parts.length, (at + 1) * parts.length)));
  }

  #readEach(ids: string[], parts: string[]) {
    return Promise.all(ids.map(async (id) => join(await this.#redis.hmget(this.#keys.agent(id), ...parts))));
  }

  async #listByCursor(filter: AgentIndex, page: ListPage, parts: string[]): Promise<RecordPage> {
    const hidden = filter.paused === false ? this.#keys.agents({ ...filter, paused: true }) : undefined;
    const index = this.#keys.agents(hidden === undefined ? filter : { ...filter, paused: false });
    const [{ ids, next }, total] = await Promise.all([this.#scan(index, hidden, page), this.#count(index, hidden)]);
    return { total, ...toRecords(await this.#readEach(ids, parts)), next };
  }

  /**
   * Finds the agents of a page by a cursor, perhaps only those that are not paused. Many that are may be between these:
   * then the page is shorter.
   */
  async #scan(index: string, hidden: string | undefined, page: ListPage) {
    const { skip, limit, order } = page;
    const step = hidden === undefined ? Math.min(skip + limit + 1, SCAN_STEP) : SCAN_STEP;
    const found: string[] = [];
    let { after } = page;
    let isLast = false;
    for (let scanned = 0; !isLast && found.length <= skip + limit && scanned < MAX_SCANNED; scanned += step) {
      const ids = await this.#readFollowing(index, after, order, step);
      const scores = hidden !== undefined && ids.length > 0 ? await this.#redis.zmscore(hidden, ...ids) : [];
      found.push(...ids.filter((_, at) => scores[at] == null));
      after = ids.at(-1) ?? after;
      isLast = ids.length < step;
    }
    const ids = found.slice(skip, skip + limit);
    const continued = isLast ? null : { after: after as string, skip: Math.max(0, skip - found.length) };
    return { ids, next: found.length > skip + limit ? { after: ids.at(-1) as string } : continued };
  }

  async #count(index: string, paused: string | undefined): Promise<number> {
    if (paused === undefined) return this.#redis.zcard(index);
    const [count] = await this.#countUnpaused({ index, paused });
    return count as number;
  }

  #readFollowing(index: string, after: string | undefined, order: ListPage['order'], count: number): Promise<string[]> {
    const from = after === undefined ? undefined : (`(${after}` as const);
    return order === 'desc'
      ? this.#redis.zrange(index, from ?? '+', '-', 'BYLEX', 'REV', 'LIMIT', 0, count)
      : this.#redis.zrange(index, from ?? '-', '+', 'BYLEX', 'LIMIT', 0, count);
  }

  /** Reads a page of at most 100 agents, which are read one by one. */
  async #listOf(visible: ReadonlySet<string>, filter: AgentIndex, page: ListPage, parts: string[]) {
    const rows = await Promise.all(
      [...visible].map(
        async (id) => [id, await this.#redis.hmget(this.#keys.agent(id), 'type', PAUSED_AT, ...parts)] as const,
      ),
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

  async exists(agentId: string): Promise<boolean> {
    return isId(agentId) && (await this.#redis.exists(this.#keys.agent(agentId))) === 1;
  }

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
    if (visible) return this.#listOf(visible, filter, page, parts);
    if (isByCursor) return this.#listByCursor(filter, page, parts);
    const index = this.#keys.agents(filter);
    const [found, total] = await Promise.all([this.#readAgents(index, page, parts), this.#redis.zcard(index)]);
    return { total, ...toRecords(found) };
  }

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
    const [outcome, value] = await this.#createAgent(args, json.slice(0, -(status.length + tail.length)), tail, reply);
    if (outcome === 'kept') return { outcome, value: value as string };
    return outcome === 'full' ? { outcome } : { outcome: 'created', json };
  }

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
    const [outcome, json] = await this.#replaceAgent(args, head);
    if (outcome !== 'replaced') return { outcome: outcome as Refused['outcome'] };
    return { outcome, json: json as string };
  }

  /** With `etags`, only if one of them is that of the record. Its tasks are left to `createPurge`. */
  async delete(
    agentId: string,
    etags: string[],
    at: number,
    audit: string | undefined,
  ): Promise<{ outcome: 'deleted' } | Refused> {
    const [outcome] = await this.#deleteAgent({ id: agentId, at, etags, audit });
    return { outcome: outcome as 'deleted' | Refused['outcome'] };
  }

  /** Pauses an agent, or changes why it is paused. Undefined when there is no such agent. */
  async pause(
    agentId: string,
    reason: string | null,
    at: number,
    audit: string | undefined,
  ): Promise<Pause | undefined> {
    const [outcome, paused_at] = await this.#pauseAgent(
      { id: agentId, at, time: new Date(at).toISOString(), audit },
      JSON.stringify(reason),
    );
    return outcome === 'paused' ? { paused_at: paused_at as string, reason } : undefined;
  }

  /** Undefined when there is no such agent, null when it is not paused. */
  async readPause(agentId: string): Promise<Pause | null | undefined> {
    if (!isId(agentId)) return undefined;
    const [head, paused_at, reason] = await this.#redis.hmget(
      this.#keys.agent(agentId),
      'head',
      PAUSED_AT,
      'paused_reason',
    );
    if (head === null) return undefined;
    return paused_at && reason ? { paused_at, reason: JSON.parse(reason) } : null;
  }

  /** Returns whether the agent exists. */
  async resume(agentId: string, at: number, audit: string | undefined): Promise<boolean> {
    const [outcome] = await this.#resumeAgent({ id: agentId, at, audit });
    return outcome === 'resumed';
  }
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
