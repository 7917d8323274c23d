import { expect, test } from '@jest/globals';
import { Headers } from 'node-fetch';
import { toFreshForMs, toRetryAfterMs } from './freshness.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);
const DAY_MS = 86_400_000;

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['86401', DAY_MS],
  ['9'.repeat(400), DAY_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ['Sat, 06 Nov 2094 08:00:00 GMT', DAY_MS],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['May 5', undefined],
])('Retry-After %j is %s ms', (text, ms) => expect(toRetryAfterMs(new Headers({ 'retry-after': text }), NOW)).toBe(ms));

test('a date in Retry-After is relative to the Date of the response', () => {
  const headers = { date: 'Sun, 06 Nov 1994 10:00:00 GMT', 'retry-after': 'Sun, 06 Nov 1994 10:01:00 GMT' };
  expect(toRetryAfterMs(new Headers(headers), NOW)).toBe(60_000);
});

test('a response may have no Retry-After', () => expect(toRetryAfterMs(new Headers(), NOW)).toBeUndefined());

const expires = 'Sun, 06 Nov 1994 08:59:00 GMT';
test.each([
  [{ 'cache-control': 'max-age=300' }, 300_000],
  [{ 'cache-control': 'public, Max-Age="300", s-maxage=9' }, 300_000],
  [{ 'cache-control': 'max-age=300', age: '100' }, 200_000],
  [{ 'cache-control': 'max-age=300', age: '400' }, 0],
  [{ 'cache-control': 'max-age=300', age: 'old' }, 300_000],
  [{ 'cache-control': 'max-age=31536000' }, DAY_MS],
  [{ 'cache-control': 'max-age=0', expires }, 0],
  [{ 'cache-control': 'max-age=-1' }, 0],
  [{ 'cache-control': 'no-cache, max-age=300' }, undefined],
  [{ 'cache-control': 'max-age=300, no-store', expires }, undefined],
  [{ 'cache-control': 'public' }, undefined],
  [{ expires }, 600_000],
  [{ expires, age: '60' }, 540_000],
  [{ expires, date: 'Sun, 06 Nov 1994 08:58:00 GMT' }, 60_000],
  [{ expires: '0' }, 0],
  [{}, undefined],
])('a response with %j is fresh for %s ms', (headers, ms) =>
  expect(toFreshForMs(new Headers(headers as Record<string, string>), NOW)).toBe(ms),
);
