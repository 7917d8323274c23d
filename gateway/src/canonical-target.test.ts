import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { requireCanonicalTarget } from './canonical-target.ts';

/** Milliseconds that it takes to refuse a target: the minimum of many runs, which nothing has interrupted. */
function leastTimeOf(originalUrl: string): number {
  const rest = { headers: { host: 'a' }, rawHeaders: ['Host', 'a'], httpVersion: '1.1', method: 'GET' };
  const req = { originalUrl, ...rest } as unknown as Request;
  let least = Number.POSITIVE_INFINITY;
  const deadline = performance.now() + 5_000;
  for (let times = 0; times < 3 || (times < 200 && performance.now() < deadline); times++) {
    const began = performance.now();
    expect(() => requireCanonicalTarget(req, {} as Response, () => {})).toThrow('not a plain path');
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

test.each([
  ['escapes', (count: number) => `/${'a%41'.repeat(count)}%2F`],
  ['segments', (count: number) => `${'/%41'.repeat(count)}\\`],
])('checks a long path with many %s in linear time', (_what, pathOf) => {
  // Sixteen times as long: quadratic time would be 256 times as much.
  expect(leastTimeOf(pathOf(4_000)) / leastTimeOf(pathOf(250))).toBeLessThan(40);
});
