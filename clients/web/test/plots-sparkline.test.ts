import { describe, expect, test } from '@jest/globals';
import { sparklinePath } from '../src/plots/sparkline-bars.ts';

describe('the bars of a sparkline', () => {
  test('an hour of minutes has 20 bars within its size', () => {
    const path = sparklinePath(Array.from({ length: 60 }, (_, index) => index + 1));
    const bars = [...path.matchAll(/M(\d+) 20v-(\d+)h3/g)].map(([, left, height]) => ({
      left: Number(left),
      height: Number(height),
    }));
    expect(bars).toHaveLength(20);
    expect(Math.min(...bars.map(({ left }) => left))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...bars.map(({ left }) => left))).toBe(77);
    expect(Math.max(...bars.map(({ height }) => height))).toBe(20);
  });

  test('one task beside a thousand is seen', () => {
    expect(sparklinePath([1, 1_000])).toBe('M77 20v-20h3v20zM73 20v-2h3v2z');
  });

  test('zeros have no bars', () => {
    expect(sparklinePath([0, 0, 0])).toBe('');
    expect(sparklinePath([])).toBe('');
  });
});
