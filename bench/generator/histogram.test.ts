import { expect, test } from '@jest/globals';
import { Histogram } from './histogram.ts';

test('percentiles are right within 1 %, from microseconds to minutes', () => {
  const times = new Histogram();
  for (let ms = 1; ms <= 1_000; ms++) times.add(ms);
  expect(times.percentile(0.5) / 500).toBeCloseTo(1, 1.7);
  expect(times.percentile(0.99) / 990).toBeCloseTo(1, 1.7);
  times.add(0);
  times.add(1e9);
  expect(times.percentile(0.0001)).toBeLessThan(0.002);
  expect(times.percentile(1)).toBeGreaterThan(60_000);
});

test('there is no percentile of nothing', () => {
  expect(new Histogram().percentile(0.5)).toBeNaN();
});
