import { createId } from '@agent-fleet/shared/ids';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FleetContext } from '../../src/redis/fleet-context.ts';
import { createTaskIndex } from '../../src/tasks/store/task-index.ts';
import { startService } from '../support/start-service.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const shape = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 1_200 }), { minLength: 1, maxLength: 6 }),
  /** 0: in random order, 1: one index after the other. */
  sorted: share,
});
const reading = fc.record({
  from: fc.option(share),
  to: fc.option(share),
  after: fc.option(share),
  skip: fc.constantFrom(0, 0, 1, 50, 1_000),
  limit: fc.constantFrom(1, 10, 130, 1_000),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});

/** `runs`: the share of the runs of each property. */
export async function specifyIndexPages(runs: number): Promise<void> {
  const service = await startService();
  const { redis, keys } = service;
  const { read, count } = createTaskIndex(service as unknown as FleetContext);

  /** Stores indexes; returns their names and all ids in order. */
  async function store(sizes: readonly number[], sorted: number) {
    const places = sizes.flatMap((size, index) => Array.from({ length: size }, () => index));
    const entries = places
      .map((index, at) => ({ index, by: (at / places.length) * sorted + Math.random() * (1 - sorted) }))
      .toSorted((one, other) => one.by - other.by)
      .map(({ index }, at) => ({ index, id: createId(1_700_000_000_000 + at * 10) }));
    const names = sizes.map((_, index) => keys.tasks({ tag: String(index) }));
    await redis.unlink(...names);
    for (const [index, name] of names.entries()) {
      const ids = entries.filter((entry) => entry.index === index).map(({ id }) => id);
      if (ids.length > 0) await redis.zadd(name, ...ids.flatMap((id) => [0, id]));
    }
    return { names, all: entries.map(({ id }) => id) };
  }

  test('reads and counts any page of a union, within bounds and after a cursor, in both directions', async () => {
    const readings = fc.array(reading, { minLength: 5, maxLength: 5 });
    const property = fc.asyncProperty(shape, readings, async ({ sizes, sorted }, reads) => {
      const { names, all } = await store(sizes, sorted);
      const idAt = (part: number | null) => (part === null ? undefined : all[Math.floor(part * all.length)]);
      for (const { skip, limit, order, ...shares } of reads) {
        const [from, to, after] = [idAt(shares.from), idAt(shares.to), idAt(shares.after)];
        const matching = all.filter((id) => id >= (from ?? '') && id < (to ?? '~'));
        if (order === 'desc') matching.reverse();
        const follows = (id: string) => after === undefined || (order === 'desc' ? id < after : id > after);
        const rest = matching.filter(follows).slice(skip);
        const union = { indexes: names, from, to };
        const found = await read(union, { skip, limit, order, after });
        expect([found.total, found.ids]).toEqual([matching.length, rest.slice(0, limit)]);
        if (names.length > 1 || after)
          expect(found.next ?? null).toEqual(rest.length > limit ? { after: found.ids.at(-1) } : null);
        expect(await count(union)).toBe(matching.length);
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(runs * 60), interruptAfterTimeLimit: runs * 60_000 });
  });
}
