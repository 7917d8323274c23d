import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';

/** One page of records. `passed` counts its index entries, including those whose record no longer exists. */
export interface RecordPage {
  total: number;
  passed: number;
  /** The stored records joined to a JSON array, without parsing. */
  json: string;
}

/** A page of large records ends after this size, with a `next` link to the rest. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Records per read, so that a page of large records is not read as a whole before it is cut. */
const STEP = 100;

/** `index` is a zset; `toKey` returns the key of a member's record. */
export type ReadPage = (index: string, toKey: (member: string) => string, page: Page) => Promise<RecordPage>;

/** Reads a page by rank: O(log n + limit). */
export function createReadPage(redis: RedisClient): ReadPage {
  /** In a cluster the records may be on many nodes. */
  async function readRecords(keys: string[]): Promise<(string | null)[]> {
    return redis.isCluster ? Promise.all(keys.map((key) => redis.get(key))) : redis.mget(keys);
  }

  return async (index, toKey, { skip, limit }) => {
    const [members, total] = await Promise.all([redis.zrange(index, skip, `${skip + limit - 1}`), redis.zcard(index)]);
    const records: (string | null)[] = [];
    for (let bytes = 0; records.length < members.length && bytes < MAX_PAGE_BYTES; ) {
      const step = members.slice(records.length, records.length + STEP);
      for (const record of await readRecords(step.map(toKey))) {
        if (bytes >= MAX_PAGE_BYTES) break;
        bytes += record?.length ?? 0;
        records.push(record);
      }
    }
    return { total, passed: records.length, json: join(records) };
  };
}

/**
 * The same for records of a few hundred bytes, by SORT in one round trip. BY nosort reads a zset by rank. In a cluster
 * the records are on other nodes than the index.
 */
export function createReadSmallPage(redis: RedisClient): ReadPage {
  if (redis.isCluster) return createReadPage(redis);
  return async (index, toKey, { skip, limit }) => {
    const [reply, total] = await Promise.all([
      redis.call('sort', index, 'BY', 'nosort', 'LIMIT', skip, limit, 'GET', toKey('*')),
      redis.zcard(index),
    ]);
    const records = reply as (string | null)[];
    return { total, passed: records.length, json: join(records) };
  };
}

/** Joins records to a JSON array, without those deleted meanwhile. */
function join(records: (string | null)[]): string {
  return `[${records.filter((record) => record !== null).join(',')}]`;
}
