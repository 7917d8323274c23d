import type { IdPage, ListPage } from '../../contract/lists.ts';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';

/** The ids of several indexes, no two of which have an id in common. */
export interface Union {
  indexes: readonly string[];
  /** Only ids from this text on. */
  from?: string | undefined;
  /** Only ids before this text. */
  to?: string | undefined;
}

/** Whether the ids of a page are at ranks of one index, so that any number of them may be skipped. */
export function isOneIndex({ indexes }: Union, { after }: ListPage): boolean {
  return indexes.length <= 1 && after === undefined;
}

/** Reads pages of task ids from indexes: O(indexes · log n + skip + limit), of one index O(log n + limit). */
export function createTaskIndex(context: FleetContext) {
  const { redis } = context;
  const mergeIndexes = loadFleetScript(context, 'tasks/store/merge-indexes');

  async function readByRank(index: string, { from, to }: Union, page: ListPage): Promise<IdPage> {
    const { skip, limit, order } = page;
    if (from === undefined && to === undefined) {
      const last = `${skip + limit - 1}`;
      const [ids, total] = await Promise.all([
        order === 'desc' ? redis.zrange(index, skip, last, 'REV') : redis.zrange(index, skip, last),
        redis.zcard(index),
      ]);
      return { ids, total, passed: ids.length };
    }
    const [low, high] = await Promise.all([
      from === undefined ? 0 : redis.zlexcount(index, '-', `(${from}`),
      to === undefined ? redis.zcard(index) : redis.zlexcount(index, '-', `(${to}`),
    ]);
    const first = Math.max(low, order === 'desc' ? high - skip - limit : low + skip);
    const end = Math.min(high, order === 'desc' ? high - skip : low + skip + limit);
    const ids = first < end ? await redis.zrange(index, first, `${end - 1}`) : [];
    if (order === 'desc') ids.reverse();
    return { ids, total: Math.max(0, high - low), passed: ids.length };
  }

  /** One script, so that no task is missed or read twice whose status changes meanwhile. */
  async function readMerged(union: Union, page: ListPage): Promise<IdPage> {
    const { skip, limit, order, after } = page;
    const { indexes } = union;
    if (indexes.length === 0) return { ids: [], total: 0, passed: 0 };
    const isDescending = order === 'desc';
    const first = union.from === undefined ? '-' : `[${union.from}`;
    const last = union.to === undefined ? '+' : `(${union.to}`;
    const rest = [first, last];
    if (after !== undefined && isDescending && !(after >= (union.to ?? '~'))) rest[1] = `(${after}`;
    if (after !== undefined && !isDescending && !(after < (union.from ?? ''))) rest[0] = `(${after}`;
    const args = { indexes, all: [first, last], rest, count: limit === 0 ? 0 : skip + limit, reverse: isDescending };
    const [total, left, ...found] = (await mergeIndexes(args)) as [number, number, ...string[]];
    found.sort();
    if (isDescending) found.reverse();
    const ids = found.slice(skip, skip + limit);
    const end = ids.at(-1);
    const next = end !== undefined && skip + ids.length < left ? { after: end } : null;
    return { ids, total, passed: ids.length, next };
  }

  return {
    async read(union: Union, page: ListPage): Promise<IdPage> {
      const [index] = union.indexes;
      return index !== undefined && isOneIndex(union, page) ? readByRank(index, union, page) : readMerged(union, page);
    },

    count: async (union: Union): Promise<number> =>
      (await readMerged(union, { skip: 0, limit: 0, order: 'asc' })).total,
  };
}
