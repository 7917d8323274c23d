import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHttpApp } from '@agent-fleet/shared/http/app';
import { listen } from '@agent-fleet/shared/testing/listen';
import { expect, test } from '@jest/globals';
import { StreamClient, type StreamItem } from './stream-client.ts';

/** During so many reads, items arrive. */
const READS = 10;

/**
 * Sends a client all items of a stream. During each read some are appended, before its page is taken and after it.
 * Returns the ids that the client got and those of all items.
 */
async function catchUp({ stored, before, after }: { stored: number; before: number; after: number }) {
  let client: StreamClient<StreamItem>;
  let reads = 0;
  let last = stored;
  const append = (count: number) => {
    for (let left = reads <= READS ? count : 0; left > 0; left--) {
      last += 1;
      client.onItem({ number: last });
    }
  };
  const source = {
    findStart: async () => last,
    async read(from = 0, limit: number) {
      reads += 1;
      append(before);
      await nextTurn();
      const count = Math.min(limit, last - from);
      append(after);
      const items = Array.from({ length: count }, (_, at) => ({ number: from + 1 + at }));
      return { items, next: from + count, isLast: count < limit };
    },
    findEnd: async () => 'open' as const,
    isNext: ({ number }: StreamItem, previous: number) => number === previous + 1,
    isEnd: () => false,
    toMessage: () => ({ type: 'task.retry', json: '{}' }),
    isFiltered: false,
    subscribe: () => () => undefined,
  };
  const app = createHttpApp();
  app.get('/', async (_req, res) => {
    client = new StreamClient<StreamItem>(source, { res, stalledMs: 10_000 });
    await client.begin(0, 'request');
    res.end();
  });
  const server = await listen(app);
  const text = await (await fetch(`http://127.0.0.1:${server.port}`)).text();
  await server.close();
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { ids, reads, all: Array.from({ length: last }, (_, at) => at + 1) };
}

test('catches up although items arrive during each read, and sends each once, in order', async () => {
  const { ids, reads, all } = await catchUp({ stored: 300, before: 10, after: 20 });
  expect(reads).toBeLessThan(READS);
  expect(ids).toEqual(all);
});

test('sends each item once, in order, although more than a page arrives during each read', async () => {
  const { ids, reads, all } = await catchUp({ stored: 1, before: 0, after: 120 });
  expect(reads).toBeGreaterThan(READS);
  expect(ids).toEqual(all);
});
