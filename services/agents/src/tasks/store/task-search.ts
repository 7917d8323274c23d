import type { Order } from '@agent-fleet/shared/contract/paging';
import { type HttpError, validationError } from '@agent-fleet/shared/http/errors';
import { isId } from '@agent-fleet/shared/ids';
import { encodePart, idPrefixAt } from '../../contract/ids.ts';
import { type ListPage, pageOf, type RecordPage, refuseDeepSkip } from '../../contract/lists.ts';
import { scanPage } from '../../contract/scan.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import type { TaskIndex } from '../../redis/keys.ts';
import { type RecordFilter, toRecordMatcher } from '../record-filter.ts';
import { encodeTags, idsOf } from '../rules/task-state.ts';
import { TASK_STATUSES, type Task } from '../task.ts';
import type { TaskFilter } from '../task-filter.ts';
import { createTaskIndex, isOneIndex, type Union } from './task-index.ts';
import type { TaskReader } from './task-reader.ts';

/** Tasks that are looked up in other indexes at most, and at once: a thousand take about 1 ms. */
const MAX_COMPARED = 20_000;
const COMPARED_AT_ONCE = 1_000;
/** Records that a search by text reads at once, in about 1 ms. */
const SCANNED_AT_ONCE = 500;
/** Indexes that a script reads, in about 1.5 ms. A key may be limited to 100 agents. */
const MAX_INDEXES = 100;

/** How the tasks that match a filter are found: those of `union` that are also in all of the `others`. */
interface QueryPlan {
  union: Union;
  others: readonly string[];
  /** The filter that needs them, and how many tasks of `union` are looked up in them. */
  comparison?: { name: 'type' | 'worker_id'; count: number };
}

/** Ids of tasks in the order of their creation. If `next` is set, more follow after it. */
export interface TaskIds {
  ids: string[];
  next: string | undefined;
}

/** `last`: the id of the last task that the page has passed; undefined for an empty one. */
type TaskPage = RecordPage & { last: string | undefined };

type Visible = ReadonlySet<string> | undefined;

/** Finds tasks by their indexes. `visible`: the only agents, at most 100, whose tasks are found. */
export class TaskSearch {
  readonly #context: FleetContext;
  readonly #reader: TaskReader;
  readonly #index;

  constructor(context: FleetContext, reader: TaskReader) {
    this.#context = context;
    this.#reader = reader;
    this.#index = createTaskIndex(context);
  }

  /** Reads a page of an agent's tasks with one of these statuses. @throws 400 */
  list(agent: string, status: readonly string[] | undefined, page: ListPage): Promise<RecordPage> {
    return this.#readPage({ union: { indexes: this.#withStatus([{ agent }], status) }, others: [] }, page);
  }

  /** Searches the tasks of all agents, or of those that are visible. @throws 400 */
  async search(filter: TaskFilter & RecordFilter, page: ListPage, visible?: Visible): Promise<RecordPage> {
    const { redis, keys, clock } = this.#context;
    const matches = toRecordMatcher(filter, clock.now());
    if (filter.id !== undefined) {
      const json = await this.#findById(filter.id, filter, visible);
      return toOnePage(filter.id, json !== undefined && matches?.(json) !== false ? json : undefined, page);
    }
    const plan = await this.#planQuery(filter, visible);
    const read = matches ? this.#scan(plan, page, matches) : this.#readPage(plan, page);
    const [found, isRemoving] = await Promise.all([read, redis.exists(keys.purges)]);
    return isRemoving ? this.#omitDeleted(continueAfter(found, page)) : found;
  }

  /** Counts the tasks that match the filter of a body, as a search does. @throws 400 */
  async countMatching(filter: TaskFilter): Promise<number> {
    if (filter.id !== undefined) return (await this.#findById(filter.id, filter)) === undefined ? 0 : 1;
    const plan = await this.#planQuery(filter);
    if (plan.others.length === 0) return this.#index.count(plan.union);
    return (await this.#compareAll(plan, 'filter.')).length;
  }

  /**
   * Reads up to `limit`, at most 1,000, ids of matching tasks after an id, also of deleted agents whose tasks are not
   * removed yet. It costs the same anywhere. A filter by worker and something else may find fewer than `limit`, or
   * none, though more follow.
   */
  async readIds(filter: TaskFilter, after: string | undefined, limit: number): Promise<TaskIds> {
    if (filter.id === undefined) return this.#readAfter(await this.#planQuery(filter), after, limit);
    const found = after === undefined && (await this.#findById(filter.id, filter)) !== undefined;
    return { ids: found ? [filter.id] : [], next: undefined };
  }

  async #planQuery(filter: TaskFilter, visible?: Visible): Promise<QueryPlan> {
    const { keys } = this.#context;
    const { status, type, worker_id: worker, created_after: after, created_before: before } = filter;
    const from = after === undefined ? undefined : idPrefixAt(Date.parse(after) + 1);
    const to = before === undefined ? undefined : idPrefixAt(Date.parse(before));
    const { scopes, haveOtherTypes } = await this.#findScopes(filter, visible);
    const toUnion = (scopes: TaskIndex[]) => ({ indexes: this.#withStatus(scopes, status), from, to });
    const ofScopes = toUnion(scopes);
    if (ofScopes.indexes.length > MAX_INDEXES) throw tooManyIndexes();
    const others = type !== undefined && haveOtherTypes ? [keys.tasks({ type })] : [];
    if (worker === undefined) {
      if (others.length === 0) return { union: ofScopes, others };
      return { union: ofScopes, others, comparison: { name: 'type', count: await this.#index.count(ofScopes) } };
    }
    const ofWorker = toUnion([{ worker }]);
    const [scope, ...more] = scopes;
    if (scope && Object.keys(scope).length === 0) return { union: ofWorker, others };
    const [countOfWorker, count] = await Promise.all([this.#index.count(ofWorker), this.#index.count(ofScopes)]);
    // One lookup cannot tell whether a task is in one of several scopes.
    const isSmaller = !scope || more.length > 0 || count < countOfWorker;
    const comparison = { name: 'worker_id', count: isSmaller ? count : countOfWorker } as const;
    if (isSmaller) return { union: ofScopes, others: [...others, keys.tasks({ worker })], comparison };
    return { union: ofWorker, others: [...others, keys.tasks(scope)], comparison };
  }

  /**
   * Finds the indexes by agent, type and tag that have all tasks that match: of all tasks, or of each visible agent.
   * `haveOtherTypes`: these may also have tasks of another type.
   */
  async #findScopes({ agent_id, type, tag }: TaskFilter, visible: Visible) {
    const { redis, keys } = this.#context;
    if (agent_id === undefined && !visible) {
      return { scopes: [{ ...(type && { type }), ...(tag && { tag }) }] as TaskIndex[], haveOtherTypes: false };
    }
    const agents = agent_id === undefined ? [...(visible as ReadonlySet<string>)] : [agent_id];
    const allowed = agents.filter((id) => isId(id) && visible?.has(id) !== false);
    const found = await Promise.all(
      allowed.map(async (agent) => {
        const [now, was] = await redis.hmget(keys.agent(agent), 'type', 'was');
        return { agent, types: now ? [now, ...(was?.split(' ') ?? [])] : [] };
      }),
    );
    const matching = found.filter(({ types }) => types.length > 0 && (type === undefined || types.includes(type)));
    return {
      scopes: matching.map(({ agent }): TaskIndex => ({ agent, ...(tag && { tag }) })),
      haveOtherTypes: matching.some(({ types }) => types.length > 1),
    };
  }

  #withStatus(scopes: TaskIndex[], status: readonly string[] | undefined): string[] {
    const { keys } = this.#context;
    if (status === undefined || status.length === TASK_STATUSES.length) return scopes.map(keys.tasks);
    return scopes.flatMap((scope) => status.map((one) => keys.tasks({ ...scope, status: one })));
  }

  async #readPage(plan: QueryPlan, page: ListPage): Promise<TaskPage> {
    const isCompared = plan.others.length > 0;
    if (isCompared || !isOneIndex(plan.union, page)) refuseDeepSkip(page);
    const found = isCompared ? pageOf(await this.#compareAll(plan), page) : await this.#index.read(plan.union, page);
    const { passed, records } = await this.#reader.readRecords(found.ids);
    const { total, next } = found;
    const last = found.ids[passed - 1];
    if (next === undefined) return { total, passed, records, last };
    // A page of large records ends before the last id.
    return {
      total,
      passed,
      records,
      last,
      next: passed < found.ids.length ? { after: last as string } : next,
    };
  }

  /** Finds tasks by their records; `total` counts all tasks of the plan's union. @throws 400 */
  async #scan(plan: QueryPlan, page: ListPage, matches: (json: string) => boolean): Promise<TaskPage> {
    refuseDeepSkip(page);
    const readStep = async (after: string | undefined) => {
      const { ids, next } = await this.#readAfter(plan, after, SCANNED_AT_ONCE, page.order);
      const { passed, records } = await this.#reader.readRecords(ids);
      const rows = records.map((json) => [idsOf(json).task_id, json] as const);
      return { scanned: SCANNED_AT_ONCE, rows, next: passed < ids.length ? ids[passed - 1] : next };
    };
    const [total, found] = await Promise.all([this.#index.count(plan.union), scanPage(page, readStep, matches)]);
    return { ...found, total, last: undefined };
  }

  /** @throws 400 when these are too many */
  async #compareAll(plan: QueryPlan, prefix = ''): Promise<string[]> {
    const { name, count = 0 } = plan.comparison ?? {};
    if (count > MAX_COMPARED) throw tooManyCompared(`${prefix}${name}`);
    const found: string[] = [];
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const step = await this.#readAfter(plan, next, COMPARED_AT_ONCE);
      found.push(...step.ids);
      next = step.next;
    }
    return found;
  }

  async #readAfter({ union, others }: QueryPlan, after: string | undefined, limit: number, order: Order = 'asc') {
    // These come before all ids.
    const start = order === 'desc' ? '~' : '';
    const { ids, next } = await this.#index.read(union, { skip: 0, limit, order, after: after ?? start });
    if (others.length === 0 || ids.length === 0) return { ids, next: next?.after };
    const scores = await Promise.all(others.map((index) => this.#context.redis.zmscore(index, ...ids)));
    return { ids: ids.filter((_, at) => scores.every((of) => of[at] !== null)), next: next?.after };
  }

  /** Leaves out tasks of deleted agents that are not removed yet: the page is shorter then, and `total` counts them. */
  async #omitDeleted(page: RecordPage): Promise<RecordPage> {
    const { redis, keys } = this.#context;
    const agents = [...new Set(page.records.map((json) => idsOf(json).agent_id))];
    const exists = await Promise.all(agents.map((agent) => redis.exists(keys.agent(agent))));
    const deleted = new Set(agents.filter((_, at) => exists[at] === 0));
    return { ...page, records: page.records.filter((json) => !deleted.has(idsOf(json).agent_id)) };
  }

  /** Reads the record with an id, if it matches. */
  async #findById(id: string, filter: TaskFilter, visible?: Visible): Promise<string | undefined> {
    const { redis, keys } = this.#context;
    const json = isId(id) ? await redis.get(keys.task(id)) : null;
    if (json === null) return undefined;
    const task = JSON.parse(json) as Task;
    const { status, type, tag, worker_id: worker, created_after: after, created_before: before } = filter;
    const [exists, ofType] = await Promise.all([
      redis.exists(keys.agent(task.agent_id)),
      type === undefined ? '0' : redis.zscore(keys.tasks({ type }), id),
    ]);
    const matches = [
      exists === 1 && ofType !== null,
      visible?.has(task.agent_id) !== false && (filter.agent_id ?? task.agent_id) === task.agent_id,
      status?.includes(task.status) !== false,
      tag === undefined || encodeTags(task.tags).includes(encodePart(tag)),
      worker === undefined || (task.worker_id !== null && encodePart(task.worker_id) === encodePart(worker)),
      (after === undefined || task.created_at > after) && (before === undefined || task.created_at < before),
    ];
    return matches.every(Boolean) ? json : undefined;
  }
}

/** Lets a page continue after its last task, as the ranks of those that follow change while tasks are removed. */
function continueAfter(found: TaskPage, { skip }: ListPage): RecordPage {
  const { next, last, passed, total } = found;
  return next !== undefined || last === undefined || skip + passed >= total
    ? found
    : { ...found, next: { after: last } };
}

/** The page of a list whose only entry has this id, if it has one. */
function toOnePage(id: string, json: string | undefined, page: ListPage): RecordPage {
  if (page.after !== undefined) refuseDeepSkip(page);
  const { ids, ...found } = pageOf(json === undefined ? [] : [id], page);
  return { ...found, records: json !== undefined && ids.length > 0 ? [json] : [] };
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
