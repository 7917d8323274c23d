import { type HttpError, validationError } from '@agent-fleet/shared/http/errors';
import { idPrefixAt, isId } from '../contract/ids.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { encodePart, type TaskIndex } from '../redis/keys.ts';
import { createReadPage, type ListPage, type RecordPage, readRecords } from '../redis/page.ts';
import { createUnionReader, type Union } from '../redis/union-page.ts';
import { encodeTags, idsOf } from './stored-task.ts';
import { TASK_STATUSES, type Task } from './task.ts';
import type { TaskFilter } from './task-filter.ts';

/** Deleted agents whose tasks a search may leave out before it reads records. */
const MAX_DELETIONS = 100;
/** Tasks that a search by worker and something else compares at most, and at once: a thousand take about 1 ms. */
const MAX_COMPARED = 20_000;
const COMPARED_AT_ONCE = 1_000;
/** Indexes that a script reads, in about 1.5 ms. A key may be limited to 100 agents. */
const MAX_INDEXES = 100;

const NOTHING: RecordPage = { total: 0, passed: 0, records: [] };

/** How the tasks that match a filter are found: those of `union` that are also in another index, if there is one. */
interface QueryPlan {
  union: Union;
  /** `compared`: how many tasks of `union` are looked up in `index`. */
  intersection?: { index: string; compared: number };
}

/** Ids of tasks in the order of their creation. If `next` is set, more follow after it. */
export interface TaskIds {
  ids: string[];
  next: string | undefined;
}

export type TaskSearch = ReturnType<typeof createTaskSearch>;

/** Finds tasks by their indexes. */
export function createTaskSearch({ redis, keys }: FleetContext) {
  const readPage = createReadPage(redis, keys);
  const unions = createUnionReader(redis, keys);

  return {
    /** Reads a page of an agent's tasks with one of these statuses. */
    list: (agent: string, status: readonly string[] | undefined, page: ListPage): Promise<RecordPage> =>
      readPlanned({ union: { indexes: withStatus([{ agent }], status) } }, page),

    /** Searches the tasks of all agents, or of those that are visible: at most 100. @throws 400 */
    async search(filter: TaskFilter, page: ListPage, visible?: ReadonlySet<string>): Promise<RecordPage> {
      if (filter.id !== undefined) return toOnePage(await findById(filter.id, filter, visible), page);
      const plan = await planQuery(filter, visible);
      return isOfFleet(filter, visible) ? readOfFleet(plan, filter, page) : readPlanned(plan, page);
    },

    /** Counts the tasks that match the filter of a body, as a search does. @throws 400 */
    async countMatching(filter: TaskFilter): Promise<number> {
      if (filter.id !== undefined) return (await findById(filter.id, filter)) === undefined ? 0 : 1;
      const plan = await planQuery(filter);
      if (plan.intersection) return (await compareAll(plan, 'filter.worker_id')).length;
      return unions.count({ ...plan.union, hidden: isOfFleet(filter) ? (await findHidden(filter))?.hidden : [] });
    },

    /**
     * Reads up to `limit`, at most 1,000, ids of matching tasks after an id, also of deleted agents whose tasks are not
     * removed yet. It costs the same anywhere. A filter by worker and something else may find fewer than `limit`, or
     * none, although more follow after `next`.
     */
    async readIds(filter: TaskFilter, after: string | undefined, limit: number): Promise<TaskIds> {
      if (filter.id === undefined) return readAfter(await planQuery(filter), after, limit);
      const isFound = (after ?? '') < filter.id && (await findById(filter.id, filter)) !== undefined;
      return { ids: isFound ? [filter.id] : [], next: undefined };
    },
  };

  async function planQuery(filter: TaskFilter, visible?: ReadonlySet<string>): Promise<QueryPlan> {
    const { status, worker_id: worker, created_after: after, created_before: before } = filter;
    const from = after === undefined ? undefined : idPrefixAt(Date.parse(after) + 1);
    const to = before === undefined ? undefined : idPrefixAt(Date.parse(before));
    const scopes = await findScopes(filter, visible);
    const toUnion = (scopes: TaskIndex[]) => ({ indexes: withStatus(scopes, status), from, to });
    if (toUnion(scopes).indexes.length > MAX_INDEXES) throw tooManyIndexes();
    if (worker === undefined) return { union: toUnion(scopes) };
    const ofWorker = toUnion([{ worker }]);
    const [scope, ...others] = scopes;
    if (scope && Object.keys(scope).length === 0) return { union: ofWorker };
    const ofScopes = toUnion(scopes);
    const [countOfWorker, compared] = await Promise.all([unions.count(ofWorker), unions.count(ofScopes)]);
    // One lookup cannot tell whether a task is in one of several scopes.
    if (!scope || others.length > 0 || compared < countOfWorker) {
      return { union: ofScopes, intersection: { index: keys.tasks({ worker }), compared } };
    }
    return { union: ofWorker, intersection: { index: keys.tasks(scope), compared: countOfWorker } };
  }

  /** The indexes by agent, type and tag that have all tasks that match: of all tasks, or of each visible agent. */
  async function findScopes({ agent_id, type, tag }: TaskFilter, visible?: ReadonlySet<string>): Promise<TaskIndex[]> {
    if (agent_id === undefined && !visible) return [{ ...(type && { type }), ...(tag && { tag }) }];
    const agents = agent_id === undefined ? [...(visible as ReadonlySet<string>)] : [agent_id];
    const allowed = agents.filter((id) => isId(id) && visible?.has(id) !== false);
    const types = await Promise.all(allowed.map((id) => redis.hget(keys.agent(id), 'type')));
    return allowed
      .filter((_, at) => types[at] !== null && (type ?? types[at]) === types[at])
      .map((agent) => ({ agent, tag }));
  }

  function withStatus(scopes: TaskIndex[], status: readonly string[] | undefined): string[] {
    if (status === undefined || status.length === TASK_STATUSES.length) return scopes.map(keys.tasks);
    return scopes.flatMap((scope) => status.map((one) => keys.tasks({ ...scope, status: one })));
  }

  async function readPlanned(plan: QueryPlan, page: ListPage): Promise<RecordPage> {
    if (plan.intersection) {
      const ids = await compareAll(plan);
      if (page.order === 'desc') ids.reverse();
      const found = ids.slice(page.skip, page.skip + page.limit);
      return { total: ids.length, ...(await readRecords(redis, found.map(keys.task))) };
    }
    const { indexes, hidden, from, to } = plan.union;
    const [index, ...others] = indexes;
    const isWhole = index !== undefined && others.length === 0 && !hidden && from === undefined && to === undefined;
    return isWhole ? readPage(index, page) : unions.readPage(plan.union, page);
  }

  /** @throws 400 when these are too many */
  async function compareAll(plan: QueryPlan, path = 'worker_id'): Promise<string[]> {
    if ((plan.intersection?.compared ?? 0) > MAX_COMPARED) throw tooManyCompared(path);
    // A task whose status changes meanwhile may be found twice.
    const found = new Set<string>();
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const step = await readAfter(plan, next, COMPARED_AT_ONCE);
      for (const id of step.ids) found.add(id);
      next = step.next;
    }
    return [...found];
  }

  async function readAfter(
    { union, intersection }: QueryPlan,
    after: string | undefined,
    limit: number,
  ): Promise<TaskIds> {
    // After the id, and before any other.
    const start = after === undefined ? '' : `${after}.`;
    const from = start > (union.from ?? '') ? start : union.from;
    const { total, ids } = await unions.readIds({ ...union, from }, { skip: 0, limit, order: 'asc' });
    const next = total > ids.length ? ids.at(-1) : undefined;
    if (!intersection || ids.length === 0) return { ids, next };
    const scores = await redis.zmscore(intersection.index, ...ids);
    return { ids: ids.filter((_, at) => scores[at] !== null), next };
  }

  /** Leaves out tasks of deleted agents that are not removed yet. */
  async function readOfFleet(plan: QueryPlan, filter: TaskFilter, page: ListPage): Promise<RecordPage> {
    const [deleted, found] = await Promise.all([findHidden(filter), readPlanned(plan, page)]);
    if (!deleted) return found;
    const { hidden } = deleted;
    if (filter.worker_id !== undefined) return omitDeleted(found);
    return omitDeleted(await readPlanned({ union: { ...plan.union, hidden } }, page));
  }

  /** Finds indexes of the tasks of deleted agents, as far as they are parts of those of a filter without a worker. */
  async function findHidden({ type, status, tag, worker_id }: TaskFilter): Promise<{ hidden: string[] } | undefined> {
    // Some of the deleted agents, as there may be many.
    const [cursor, purges] = await redis.hscan(keys.purges, 0, 'COUNT', MAX_DELETIONS);
    if (cursor === '0' && purges.length === 0) return undefined;
    // Of an agent with several types, only some tasks are in the index of one.
    const isPart = (types: string | undefined) => worker_id === undefined && (type === undefined || types === type);
    const agents = purges.filter((_, at) => at % 2 === 0 && isPart(purges[at + 1]));
    return {
      hidden: withStatus(
        agents.map((agent) => ({ agent, tag })),
        status,
      ),
    };
  }

  /** Leaves out the tasks of other deleted agents: the page is shorter then, and `total` counts them. */
  async function omitDeleted(page: RecordPage): Promise<RecordPage> {
    const agents = [...new Set(page.records.map((json) => idsOf(json).agent_id))];
    const exists = await Promise.all(agents.map((agent) => redis.exists(keys.agent(agent))));
    const deleted = new Set(agents.filter((_, at) => exists[at] === 0));
    return { ...page, records: page.records.filter((json) => !deleted.has(idsOf(json).agent_id)) };
  }

  /** Reads the record with an id, if it matches. */
  async function findById(id: string, filter: TaskFilter, visible?: ReadonlySet<string>): Promise<string | undefined> {
    const json = isId(id) ? await redis.get(keys.task(id)) : null;
    if (json === null) return undefined;
    const task = JSON.parse(json) as Task;
    const type = await redis.hget(keys.agent(task.agent_id), 'type');
    const { status, tag, worker_id: worker, created_after: after, created_before: before } = filter;
    const matches = [
      type !== null && (filter.type ?? type) === type,
      visible?.has(task.agent_id) !== false && (filter.agent_id ?? task.agent_id) === task.agent_id,
      status?.includes(task.status) !== false,
      tag === undefined || encodeTags(task.tags).includes(encodePart(tag)),
      worker === undefined || (task.worker_id !== null && encodePart(task.worker_id) === encodePart(worker)),
      (after === undefined || task.created_at > after) && (before === undefined || task.created_at < before),
    ];
    return matches.every(Boolean) ? json : undefined;
  }
}

function isOfFleet({ agent_id }: TaskFilter, visible?: ReadonlySet<string>): boolean {
  return agent_id === undefined && !visible;
}

function toOnePage(json: string | undefined, { skip }: ListPage): RecordPage {
  if (json === undefined) return NOTHING;
  return skip === 0 ? { total: 1, passed: 1, records: [json] } : { ...NOTHING, total: 1 };
}

function tooManyIndexes(): HttpError {
  const message =
    'lists too many statuses for an API key with so many agents: name one status, or one agent by agent_id';
  return validationError([{ path: 'status', code: 'too_many_statuses', message }]);
}

function tooManyCompared(path: string): HttpError {
  const message = `is combined with other filters over more than ${MAX_COMPARED} tasks: narrow the search by created_after or created_before`;
  return validationError([{ path, code: 'too_many_tasks', message }]);
}
