import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Keys } from '../keys.ts';
import { MAX_PAGE_BYTES, type RecordPage } from '../page.ts';

export interface TaskFilter {
  agent_id?: string;
  type?: string;
  status?: string;
  tag?: string;
}

/** Records per read, so that a page of large records is not read as a whole before it is cut. */
const STEP = 100;

/** Reads a page of tasks of many agents from an index of the fleet: O(log n + limit). */
export async function readFleetPage(redis: RedisClient, keys: Keys, index: string, page: Page): Promise<RecordPage> {
  const { skip, limit } = page;
  const [members, total] = await Promise.all([redis.zrange(index, skip, `${skip + limit - 1}`), redis.zcard(index)]);
  const recordKeys = members.map((member) => {
    const [taskId, agentId] = member.split(' ') as [string, string];
    return keys.task(agentId, taskId);
  });
  const records: string[] = [];
  let bytes = 0;
  let passed = 0;
  while (passed < recordKeys.length && bytes < MAX_PAGE_BYTES) {
    for (const record of await readRecords(redis, recordKeys.slice(passed, passed + STEP))) {
      if (bytes >= MAX_PAGE_BYTES) break;
      passed += 1;
      bytes += record?.length ?? 0;
      if (record !== null) records.push(record);
    }
  }
  return { total, passed, json: `[${records.join(',')}]` };
}

/** In a cluster the records are on many nodes. */
async function readRecords(redis: RedisClient, recordKeys: string[]): Promise<(string | null)[]> {
  return redis.isCluster ? Promise.all(recordKeys.map((key) => redis.get(key))) : redis.mget(recordKeys);
}
