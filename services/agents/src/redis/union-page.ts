import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from './keys.ts';
import { type ListPage, type RecordPage, readRecords } from './page.ts';
import { loadFleetScript } from './scripts.ts';

/** Task ids of several indexes. */
export interface Union {
  /** No two have a task in common. */
  indexes: readonly string[];
  /** Parts of these indexes that are left out. */
  hidden?: readonly string[];
  /** Only ids from this text on. */
  from?: string;
  /** Only ids before this text. */
  to?: string;
}

/** Reads pages of unions of indexes: O(indexes · log n + limit). */
export function createUnionReader(redis: RedisClient, keys: Keys) {
  const readUnion = loadFleetScript({ redis, keys }, 'read-union');

  /** Reads the ids of a page, and how many there are in all. A page with `hidden` may be shorter. */
  async function readIds(union: Union, { skip, limit, order }: ListPage): Promise<{ total: number; ids: string[] }> {
    if (union.indexes.length === 0) return { total: 0, ids: [] };
    const reverse = order === 'desc';
    const reply = await readUnion({ ...union, skip, limit, reverse });
    const [total, preceding, ...ids] = reply as [number, number, ...string[]];
    ids.sort();
    if (reverse) ids.reverse();
    return { total, ids: ids.slice(preceding, preceding + limit) };
  }

  return {
    readIds,

    async count(union: Union): Promise<number> {
      return (await readIds(union, { skip: 0, limit: 0, order: 'asc' })).total;
    },

    async readPage(union: Union, page: ListPage): Promise<RecordPage> {
      const { total, ids } = await readIds(union, page);
      return { total, ...(await readRecords(redis, ids.map(keys.task))) };
    },
  };
}
