import type { Reply } from '@agent-fleet/shared/contract/operation';
import { type Page, pageHeaders } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from './keys.ts';
import { loadFleetScript } from './scripts.ts';
import { selectFields } from './select-fields.ts';

/** The requested part of a list, by creation: `skip` counts from the oldest entry, with `desc` from the newest. */
export interface ListPage extends Page {
  order: 'asc' | 'desc';
}

/** One page of records as JSON texts. */
export interface RecordPage {
  total: number;
  /** Index entries of the page, including those whose record no longer exists. */
  passed: number;
  records: string[];
}

/** A page of large records ends after this size, with a `next` link to the rest. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Records per read. */
const STEP = 100;
/** Records per read while their size is not known. */
const FEW = 8;

/** The result reads a page of the tasks whose ids are in the zset `index`, by rank: O(log n + limit). */
export function createReadPage(redis: RedisClient, keys: Keys) {
  const sampleSizes = loadFleetScript({ redis, keys }, 'sample-sizes');

  return async (index: string, { skip, limit, order }: ListPage): Promise<RecordPage> => {
    const [ids, total, sizes] = await Promise.all([
      readRange(redis, index, { skip, limit, order }),
      redis.zcard(index),
      limit > FEW ? (sampleSizes({ index, skip, limit, reverse: order === 'desc' }) as Promise<number[]>) : [],
    ]);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    return { total, ...(await readRecords(redis, ids.map(keys.task), mean)) };
  };
}

/** Reads members of a zset by rank. */
export function readRange(redis: RedisClient, index: string, { skip, limit, order }: ListPage): Promise<string[]> {
  const last = `${skip + limit - 1}`;
  return order === 'desc' ? redis.zrange(index, skip, last, 'REV') : redis.zrange(index, skip, last);
}

/** `mean`: the expected size of a record, if known, so that not many more are read than the page has. */
export async function readRecords(
  redis: RedisClient,
  keys: string[],
  mean?: number,
): Promise<Omit<RecordPage, 'total'>> {
  const records: (string | null)[] = [];
  for (let bytes = 0; records.length < keys.length && bytes < MAX_PAGE_BYTES; ) {
    const size = bytes / records.length || mean || MAX_PAGE_BYTES / FEW;
    const step = Math.min(STEP, Math.ceil((MAX_PAGE_BYTES - bytes) / size));
    for (const record of await redis.mget(keys.slice(records.length, records.length + step))) {
      if (bytes >= MAX_PAGE_BYTES) break;
      bytes += record?.length ?? 0;
      records.push(record);
    }
  }
  // Without those that were deleted meanwhile.
  return { passed: records.length, records: records.filter((record) => record !== null) };
}

/** The reply with a page of records, which are joined without parsing unless only some `fields` are wanted. */
export async function toPageReply(
  url: string,
  page: Page,
  { total, passed, records }: RecordPage,
  fields?: readonly string[],
): Promise<Reply> {
  const selected = fields ? await selectFields(records, fields) : records;
  return { status: 200, json: `[${selected.join(',')}]`, headers: pageHeaders(url, page, total, passed) };
}
