import { isId } from '@agent-fleet/shared/ids';
import type { RecordQuota } from '../contract/callers.ts';
import { type ListPage, pageOf, type RecordPage, refuseDeepSkip } from '../contract/lists.ts';
import { scanPage } from '../contract/scan.ts';
import { toWords } from '../contract/words.ts';
import type { Kept, KeptReply } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentIndex } from '../redis/keys.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Agent } from './contract.ts';
import type { Pause } from './pause-contract.ts';

/** The fields of an agent that make its served JSON. */
const PARTS = ['head', 'status', 'tail'];
const PAUSED_AT = 'paused_at';
const OWNER = 'owner';
/** What only lists return, on request, by its field of the hash: `owner` there is the principal of a quota. */
const EXTRAS: Record<string, string> = { [PAUSED_AT]: PAUSED_AT, [OWNER]: 'mark' };

/** Agents that are read at once, at least, where not all of them belong to the page. */
const MIN_STEP = 200;

interface AgentFilter extends AgentIndex {
  name?: string | undefined;
  owner?: string | undefined;
  q?: string | undefined;
}

/** What a list of agents needs. */
interface AgentQuery {
  filter: AgentIndex;
  page: ListPage;
  parts: string[];
  matches?: ((json: string) => boolean) | undefined;
}

/** What a new agent is stored with; `mark` is its owner. */
interface Creation {
  kept: Kept | undefined;
  quota: RecordQuota | undefined;
  audit: string | undefined;
  mark: string | undefined;
}

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
    return join(PARTS, await this.#redis.hmget(this.#keys.agent(agentId), ...PARTS));
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
    const fields = toFields(parts).flatMap((field) => ['GET', `${this.#keys.agent('*')}->${field}`]);
    const words = ['BY', 'nosort', 'LIMIT', skip, limit, ...fields, order === 'desc' ? 'DESC' : 'ASC'];
    const texts = (await this.#redis.call('sort_ro', index, ...words)) as (string | null)[];
    const count = texts.length / parts.length;
    return Array.from({ length: count }, (_, at) =>
      join(parts, texts.slice(at * parts.length, (at + 1) * parts.length)),
    );
  }

  #readEach(ids: string[], parts: string[]) {
    const fields = toFields(parts);
    return Promise.all(ids.map(async (id) => join(parts, await this.#redis.hmget(this.#keys.agent(id), ...fields))));
  }

  /** Leaves out paused agents if `filter` says so, and those that do not match. */
  async #listByCursor({ filter, page, parts, matches }: AgentQuery): Promise<RecordPage> {
    const hidden = filter.paused === false ? this.#keys.agents({ ...filter, paused: true }) : undefined;
    const index = this.#keys.agents(hidden === undefined ? filter : { ...filter, paused: false });
    const leavesOut = hidden !== undefined || matches !== undefined;
    const step = Math.max(leavesOut ? MIN_STEP : 0, page.skip + page.limit + 1);
    const readStep = async (after: string | undefined) => {
      const ids = await this.#readFollowing(index, after, page.order, step);
      const scores = hidden !== undefined && ids.length > 0 ? await this.#redis.zmscore(hidden, ...ids) : [];
      const shown = ids.filter((_, at) => scores[at] == null);
      const records = await this.#readEach(shown, parts);
      const rows = shown.map((id, at) => [id, records[at]] as const).filter((row) => row[1] !== undefined);
      return { scanned: step, rows: rows as [string, string][], next: ids.length < step ? undefined : ids.at(-1) };
    };
    const [found, total] = await Promise.all([
      scanPage(page, readStep, matches ?? (() => true)),
      this.#count(index, hidden),
    ]);
    return { ...found, total };
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
  async #listOf(visible: ReadonlySet<string>, { filter, page, parts, matches }: AgentQuery) {
    const fields = ['type', PAUSED_AT, ...toFields(parts)];
    const rows = await Promise.all(
      [...visible].map(async (id) => [id, await this.#redis.hmget(this.#keys.agent(id), ...fields)] as const),
    );
    const matching = rows.filter(([, [type, pausedAt, head, status]]) => {
      if (head == null) return false;
      const isPaused = pausedAt !== null;
      const { status: wantedStatus = status, type: wantedType = type, paused = isPaused } = filter;
      return wantedStatus === status && wantedType === type && paused === isPaused;
    });
    const joined = matching.map(([id, [, , ...texts]]) => [id, join(parts, texts) as string] as const);
    const records = new Map(joined.filter(([, json]) => matches?.(json) !== false));
    const { ids, ...found } = pageOf([...records.keys()].sort(), page);
    return { ...found, ...toRecords(ids.map((id) => records.get(id))) };
  }

  async exists(agentId: string): Promise<boolean> {
    return isId(agentId) && (await this.#redis.exists(this.#keys.agent(agentId))) === 1;
  }

  /** With `visible`, only those of these agents. Records have `paused_at` and `owner` if they are among `fields`. */
  async list(
    { q, name, owner, ...filter }: AgentFilter,
    page: ListPage,
    fields?: readonly string[],
    visible?: ReadonlySet<string>,
  ): Promise<RecordPage> {
    const shown = owner === undefined ? fields : [...(fields ?? []), OWNER];
    const parts = [...PARTS, ...Object.keys(EXTRAS).filter((name) => shown?.includes(name))];
    const query = { filter, page, parts, matches: toMatcher(toWords(q), { name, owner }) };
    const isByCursor = query.matches !== undefined || filter.paused === false || page.after !== undefined;
    if (visible || isByCursor) refuseDeepSkip(page);
    if (visible) return this.#listOf(visible, query);
    if (isByCursor) return this.#listByCursor(query);
    const index = this.#keys.agents(filter);
    const [found, total] = await Promise.all([this.#readAgents(index, page, parts), this.#redis.zcard(index)]);
    return { total, ...toRecords(found) };
  }

  async create(
    agent: Agent,
    { kept, quota, audit, mark }: Creation,
  ): Promise<{ outcome: 'created'; json: string } | { outcome: 'full' } | KeptReply> {
    const { id, type, status, created_at } = agent;
    const json = JSON.stringify(agent);
    const args = { id, type, status, at: Date.parse(created_at), kept, quota, audit, mark };
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
    { etags, at, audit, mark }: { etags: string[]; at: number; audit: string | undefined; mark: string | undefined },
  ): Promise<{ outcome: 'replaced'; json: string } | Refused> {
    const { name, type } = fields;
    const head = `${JSON.stringify({ id: agentId, name, type }).slice(0, -1)},"status":"`;
    const args = { id: agentId, type, at, etags, data: JSON.stringify({ name, type }), audit, mark };
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

/** Tells whether a record has the name, the owner and each of the words; undefined if each record does. */
function toMatcher(
  words: string[],
  { name, owner }: Pick<AgentFilter, 'name' | 'owner'>,
): ((json: string) => boolean) | undefined {
  if (words.length === 0 && name === undefined && owner === undefined) return undefined;
  return (json) => {
    const agent = JSON.parse(json) as Agent & { owner?: string };
    if (name !== undefined && agent.name !== name) return false;
    if (owner !== undefined && agent.owner !== owner) return false;
    const text = agent.name.toLowerCase();
    return words.every((word) => text.includes(word) || agent.id.startsWith(word));
  };
}

/** Leaves out those that were deleted meanwhile. */
function toRecords(found: (string | undefined)[]): Omit<RecordPage, 'total'> {
  return { passed: found.length, records: found.filter((record) => record !== undefined) };
}

const toFields = (parts: readonly string[]) => parts.map((part) => EXTRAS[part] ?? part);

/** Joins the texts of a record's parts, and adds what else was read; undefined when there is no such agent. */
function join(parts: readonly string[], [head, status, tail, ...extras]: (string | null)[]): string | undefined {
  if (head == null) return undefined;
  const json = `${head}${status}${tail}`;
  const added = extras.map((value, at) => `,"${parts[PARTS.length + at]}":${JSON.stringify(value)}`);
  return added.length === 0 ? json : `${json.slice(0, -1)}${added.join('')}}`;
}

/** The record after its status. */
function toTail({ created_at }: Agent): string {
  return `${'","created_at":"'}${created_at}"}`;
}
