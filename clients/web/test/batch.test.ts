import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createBatch } from '../src/api/batch.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function collecting() {
  const passed: number[][] = [];
  const pass = (items: number[]) => void passed.push(items);
  return { passed, batch: createBatch(100, pass) };
}

test('items are passed on together, some time after the first one', () => {
  const { passed, batch } = collecting();
  for (const item of [1, 2]) batch.add(item);
  jest.advanceTimersByTime(99);
  batch.add(3);
  expect(passed).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(passed).toEqual([[1, 2, 3]]);
  batch.add(4);
  jest.advanceTimersByTime(100);
  expect(passed).toEqual([[1, 2, 3], [4]]);
});

test('no more than 1,000 items are held back', () => {
  const { passed, batch } = collecting();
  for (let item = 0; item < 2_500; item++) batch.add(item);
  expect(passed.map(({ length }) => length)).toEqual([1_000, 1_000]);
  batch.flush();
  expect(passed.flat()).toHaveLength(2_500);
  jest.advanceTimersByTime(100);
  expect(passed).toHaveLength(3);
});

test('items that are dropped are not passed on', () => {
  const { passed, batch } = collecting();
  batch.add(1);
  batch.drop();
  jest.advanceTimersByTime(100);
  batch.add(2);
  batch.flush();
  expect(passed).toEqual([[2]]);
});
