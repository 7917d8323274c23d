import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createId } from '../../src/contract/ids.ts';
import { createKeys } from '../../src/redis/keys.ts';
import { createUnionReader } from '../../src/redis/union-page.ts';

/** 0: in random order, 1: one zset after the other. */
const order = fc.double({ min: 0, max: 1, noNaN: true });
const shape = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 1, maxLength: 6 }),
  order,
  /** By zset: shares of its entries between which all are hidden. */
  hidden: fc.array(fc.record({ zset: fc.nat(5), from: fc.double({ min: 0, max: 1, noNaN: true }), size: order }), {
    maxLength: 3,
  }),
});
const shares = fc.record({ from: fc.option(order), to: fc.option(order), skip: order });
const page = fc.record({
  limit: fc.constantFrom(1, 10, 130, 1_000),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});

/** `share`: of the runs of each property. */
export function specifyUnionPages(share: number): void {
  const keys = createKeys(uniquePrefix('agents'));
  const redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
  const { readIds } = createUnionReader(redis, keys);
  beforeAll(() => waitForRedis(redis, 60_000));
  afterAll(() => redis.disconnect());

  async function store(sizes: readonly number[], sorted: number) {
    const places = sizes.flatMap((size, zset) => Array.from({ length: size }, () => zset));
    const shuffled = places
      .map((zset, at) => ({ zset, by: (at / places.length) * sorted + Math.random() * (1 - sorted) }))
      .toSorted((one, other) => one.by - other.by);
    const entries = shuffled.map(({ zset }, at) => ({ zset, id: createId(1_700_000_000_000 + at * 10) }));
    const names = sizes.map((_, zset) => keys.tasks({ tag: String(zset) }));
    await redis.unlink(...names);
    for (const [zset, name] of names.entries()) {
      const ids = entries.filter((entry) => entry.zset === zset).map(({ id }) => id);
      if (ids.length > 0) await redis.zadd(name, ...ids.flatMap((id) => [0, id]));
    }
    return { entries, names };
  }

  test('reads any page of a union, within bounds, in both directions and without hidden parts', async () => {
    const property = fc.asyncProperty(
      shape,
      fc.array(fc.tuple(shares, page), { minLength: 5, maxLength: 5 }),
      async ({ sizes, order: sorted, hidden }, reads) => {
        const { entries, names } = await store(sizes, sorted);
        const isHidden = new Set<string>();
        const parts: string[] = [];
        for (const [at, { zset, from, size }] of hidden.entries()) {
          const own = entries.filter((entry) => entry.zset === zset && !isHidden.has(entry.id)).map(({ id }) => id);
          const ids = own.slice(Math.floor(from * own.length), Math.floor((from + size) * own.length));
          for (const id of ids) isHidden.add(id);
          parts.push(keys.tasks({ type: String(at) }));
          await redis.unlink(parts[at] as string);
          if (ids.length > 0) await redis.zadd(parts[at] as string, ...ids.flatMap((id) => [0, id]));
        }
        for (const [{ from, to, skip: share }, { limit, order: direction }] of reads) {
          const idAt = (part: number | null) =>
            part === null ? undefined : entries[Math.floor(part * entries.length)]?.id;
          const bounds = { from: idAt(from), to: idAt(to) };
          const expected = entries
            .map(({ id }) => id)
            .filter((id) => !isHidden.has(id) && id >= (bounds.from ?? '') && id < (bounds.to ?? '~'));
          if (direction === 'desc') expected.reverse();
          const skip = Math.floor(share * (expected.length + 2));
          const union = { indexes: names, ...bounds, ...(parts.length > 0 && { hidden: parts }) };
          const { total, ids } = await readIds(union, { skip, limit, order: direction });
          expect(total).toBe(expected.length);
          const wanted = expected.slice(skip, skip + limit);
          if (parts.length === 0) expect(ids).toEqual(wanted);
          else {
            // It may be shorter, but not empty.
            expect(ids).toEqual(wanted.slice(0, ids.length));
            expect(ids.length > 0).toBe(wanted.length > 0);
          }
        }
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(share * 60), interruptAfterTimeLimit: share * 60_000 });
  });

  test('counts hidden parts beyond the tenth as visible', async () => {
    const { entries, names } = await store([600], 1);
    const hidden = Array.from({ length: 12 }, (_, at) => keys.tasks({ type: `hidden ${at}` }));
    for (const [at, part] of hidden.entries()) {
      await redis.zadd(part, ...entries.slice(at * 50, at * 50 + 50).flatMap(({ id }) => [0, id]));
    }
    const { total, ids } = await readIds({ indexes: names, hidden }, { skip: 0, limit: 1_000, order: 'asc' });
    expect([total, ids]).toEqual([100, entries.slice(500).map(({ id }) => id)]);
  });
}
