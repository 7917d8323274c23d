import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf, quantilesOf } from './task-counters.ts';

const MAX_MS = 99 * 86_400_000;
const ERROR = 0.05;

function sketchOf(durations: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const duration of durations) counts.set(bucketOf(duration), (counts.get(bucketOf(duration)) ?? 0) + 1);
  return counts;
}

test('quantiles are at most 5 % off', () => {
  const duration = fc.oneof(fc.nat(MAX_MS), fc.nat(1_000), fc.nat(20));
  fc.assert(
    fc.property(fc.array(duration, { minLength: 1, maxLength: 50 }), (durations) => {
      const sorted = durations.toSorted((one, other) => one - other);
      const found = quantilesOf(sketchOf(durations), [0, 0.5, 0.95, 1]);
      for (const [at, quantile] of [0, 0.5, 0.95, 1].entries()) {
        const exact = sorted[Math.floor(quantile * (sorted.length - 1))] as number;
        expect(Math.abs((found[at] as number) - exact)).toBeLessThanOrEqual(ERROR * exact);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('has at most 243 buckets, also for durations that cannot be', () => {
  expect([-5, 0, 0.4].map(bucketOf)).toEqual([0, 0, 0]);
  expect([1, 2 * MAX_MS, Number.MAX_SAFE_INTEGER].map(bucketOf)).toEqual([1, 242, 242]);
});
