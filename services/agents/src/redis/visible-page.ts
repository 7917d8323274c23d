import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from './keys.ts';
import { type RecordPage, readRecords } from './page.ts';
import { loadFleetScript } from './scripts.ts';

/** The result reads a page of tasks of `index` as if it had no entries of the zsets `hidden`, which are parts of it. */
export function createReadVisiblePage(redis: RedisClient, keys: Keys) {
  const readVisible = loadFleetScript(redis, keys, 'read-visible');

  return async (index: string, hidden: readonly string[], { skip, limit }: Page): Promise<RecordPage> => {
    const [total, ...ids] = (await readVisible({ index, hidden, skip, limit })) as [number, ...string[]];
    return { total, ...(await readRecords(redis, ids.map(keys.task))) };
  };
}
