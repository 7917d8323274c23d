import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { type RecordPage, readRecords } from './page.ts';

/** Runs of visible entries on a page at most; a page of more ends early, with a `next` link to the rest. */
const MAX_RUNS = 20;

/**
 * Reads a page of `index` as if it had no entries of the zsets `hidden`, which are parts of it. All scores are 0. Finds
 * the first entry in O(log² n), so that a million hidden entries before it cost some milliseconds.
 */
export async function readVisiblePage(
  redis: RedisClient,
  index: string,
  hidden: readonly string[],
  toKey: (id: string) => string,
  { skip, limit }: Page,
): Promise<RecordPage> {
  // In one tick: Redis executes the commands of a pipeline one after the other.
  const [all, ...counts] = await Promise.all([index, ...hidden].map((key) => redis.zcard(key)));
  const hiddenCount = sum(counts);
  const total = Math.max(0, (all as number) - hiddenCount);

  /** The number of visible entries before a rank. */
  async function countVisible(rank: number): Promise<number> {
    const [id] = await redis.zrange(index, rank, `${rank}`);
    if (id === undefined) return Number.POSITIVE_INFINITY;
    return rank - sum(await Promise.all(hidden.map((key) => redis.zlexcount(key, '-', `(${id}`))));
  }

  /** The rank of the visible entry that has `before` visible ones before it. */
  async function findRank(before: number): Promise<number> {
    let [low, high] = [before, before + hiddenCount];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((await countVisible(middle)) <= before) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const ids: string[] = [];
  for (let runs = 0; runs < MAX_RUNS && ids.length < limit && skip + ids.length < total; runs++) {
    const rank = await findRank(skip + ids.length);
    const found = await redis.zrange(index, rank, `${rank + limit - 1}`);
    if (found.length === 0) break;
    const scores = await Promise.all(hidden.map((key) => redis.zmscore(key, ...found)));
    const visible = found.filter((_, at) => scores.every((of) => of[at] === null));
    ids.push(...visible.slice(0, limit - ids.length));
  }
  return { total, ...(await readRecords(redis, ids.map(toKey))) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
