import type { Reply } from '@agent-fleet/shared/contract/operation';
import { type Page, pageHeaders } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';

/** One page of records as JSON texts. */
export interface RecordPage {
  total: number;
  /** Index entries of the page, including those whose record no longer exists. */
  passed: number;
  records: string[];
}

/** A page of large records ends after this size, with a `next` link to the rest. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Records per read, so that a page of large records is not read as a whole before it is cut. */
const STEP = 100;

/** Reads a page of the records whose ids are in the zset `index`, by rank: O(log n + limit). */
export async function readPage(
  redis: RedisClient,
  index: string,
  toKey: (id: string) => string,
  { skip, limit }: Page,
): Promise<RecordPage> {
  const [ids, total] = await Promise.all([redis.zrange(index, skip, `${skip + limit - 1}`), redis.zcard(index)]);
  return { total, ...(await readRecords(redis, ids.map(toKey))) };
}

export async function readRecords(redis: RedisClient, keys: string[]): Promise<Omit<RecordPage, 'total'>> {
  const records: (string | null)[] = [];
  for (let bytes = 0; records.length < keys.length && bytes < MAX_PAGE_BYTES; ) {
    for (const record of await redis.mget(keys.slice(records.length, records.length + STEP))) {
      if (bytes >= MAX_PAGE_BYTES) break;
      bytes += record?.length ?? 0;
      records.push(record);
    }
  }
  // Without those that were deleted meanwhile.
  return { passed: records.length, records: records.filter((record) => record !== null) };
}

/** The reply with a page of records, which are joined without parsing. */
export function toPageReply(url: string, page: Page, { total, passed, records }: RecordPage): Reply {
  return { status: 200, json: `[${records.join(',')}]`, headers: pageHeaders(url, page, total, passed) };
}
