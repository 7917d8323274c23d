import { expect, test } from '@jest/globals';
import { createSpread, firstSlot, HashTable } from './hash-table.ts';

test('keys that are prepared to share a slot are spread', () => {
  for (const step of [2 ** 20, 2 ** 32]) {
    const counts = Array.from({ length: 11 }, () => {
      const spread = createSpread();
      return new Set(Array.from({ length: 50_000 }, (_, at) => firstSlot(at * step, spread, 2 ** 17))).size;
    });
    // One random factor in a hundred spreads them over fewer.
    expect(counts.toSorted((a, b) => a - b)[5]).toBeGreaterThan(10_000);
  }
});

test('values of one key are found in the order of their insertion, also after the table has grown', () => {
  const table = new HashTable();
  for (let value = 0; value < 20_000; value++) table.add(value % 1_000, value);
  const found: number[] = [];
  for (;;) {
    const next = table.find(7, (value) => value > (found.at(-1) ?? -1));
    if (next === undefined) break;
    found.push(next);
  }
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => 7 + at * 1_000));
  expect(table.find(1_000, () => true)).toBeUndefined();
});
