import { expect, test } from '@jest/globals';
import { retryDelayMs } from './task-transitions.ts';

const policy = { strategy: 'exponential', delay_seconds: 5, max_delay_seconds: 60, jitter: 0 } as const;
const delays = (given: Partial<Parameters<typeof retryDelayMs>[0]>) =>
  [1, 2, 3, 4, 5, 9].map((attempt) => retryDelayMs({ ...policy, ...given }, attempt, () => 0.5));

test('doubles an exponential delay up to its cap', () => {
  expect(delays({})).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('keeps a fixed delay up to its cap', () => {
  expect(delays({ strategy: 'fixed' })).toEqual(Array(6).fill(5_000));
  expect(delays({ strategy: 'fixed', delay_seconds: 90 })).toEqual(Array(6).fill(60_000));
});

test('subtracts a random part of the delay by jitter', () => {
  expect(retryDelayMs({ ...policy, jitter: 0.5 }, 1, () => 0)).toBe(5_000);
  expect(retryDelayMs({ ...policy, jitter: 0.5 }, 1, () => 1)).toBe(2_500);
  expect(retryDelayMs({ ...policy, jitter: 1 }, 1, () => 1)).toBe(0);
});
