import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { batchPerTick } from './batch-per-tick.ts';

test('handles the items of one tick together, in the order in which they were added', async () => {
  const handled: string[] = [];
  const batch = batchPerTick((items: readonly string[]) => handled.push(...items));
  batch.add('a');
  batch.add('b');
  expect(handled).toEqual([]);
  await nextTick();
  expect(handled).toEqual(['a', 'b']);
});

test('does not handle removed items', async () => {
  const handled: string[] = [];
  const batch = batchPerTick((items: readonly string[]) => handled.push(...items));
  for (const item of ['a', 'b', 'c']) batch.add(item);
  expect(batch.remove((item) => item !== 'b')).toEqual(['a', 'c']);
  await nextTick();
  expect(handled).toEqual(['b']);
});
