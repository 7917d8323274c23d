import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from './keys.ts';
import { type RecordPage, readRecords } from './page.ts';
import { loadFleetScript } from './scripts.ts';

/** The result reads a page of the tasks of all `indexes`, at most 100, of which no two have a task in common. */
export function createReadUnionPage(redis: RedisClient, keys: Keys) {
  const readUnion = loadFleetScript(redis, keys, 'read-union');

  return async (indexes: readonly string[], { skip, limit }: Page): Promise<RecordPage> => {
    const [total, ...ids] = (await readUnion({ indexes, skip, limit })) as [number, ...string[]];
    return { total, ...(await readRecords(redis, ids.sort().map(keys.task))) };
  };
}
