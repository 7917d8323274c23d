import { expect, test } from '@jest/globals';
import { ResponseCache } from './response-cache.ts';

const MIB = 1024 * 1024;
const SNAPSHOT = {};

function open() {
  const cache = new ResponseCache();
  cache.reset(SNAPSHOT);
  return cache;
}

/** A cache that counts how often each result is computed. */
function counted(bytes: number) {
  const cache = open();
  const made = new Map<string, number>();
  const get = async (...keys: string[]) => {
    for (const key of keys) {
      await cache.result(SNAPSHOT, key, async () => {
        made.set(key, (made.get(key) ?? 0) + 1);
        return { bytes };
      });
    }
  };
  return { get, made };
}

test('the response cache keeps a result from the second request on', async () => {
  const { get, made } = counted(10);
  await get('a', 'a', 'a', 'a', 'a');
  expect(made.get('a')).toBe(2);
});

test('the response cache computes a result once for concurrent requests, and keeps it', async () => {
  const { get, made } = counted(10);
  await Promise.all([get('a'), get('a'), get('a')]);
  await get('a');
  expect(made.get('a')).toBe(1);
});

test('the response cache keeps synchronous results, too', () => {
  const cache = open();
  let made = 0;
  const make = () => ({ bytes: ++made });
  for (let time = 0; time < 5; time++) expect(cache.result(SNAPSHOT, 'a', make)).not.toBeInstanceOf(Promise);
  expect(made).toBe(2);
});

test('the response cache evicts the least recently used results beyond 16 MiB', async () => {
  const { get, made } = counted(MIB);
  const sixteen = Array.from({ length: 16 }, (_, at) => `key ${at}`);
  await get(...sixteen, ...sixteen, 'key 0', 'more', 'more');
  made.clear();
  await get('key 0', 'key 2', 'more', 'key 1');
  expect(Object.fromEntries(made)).toEqual({ 'key 1': 1 });
});

test('the response cache has at most two thousand entries', async () => {
  const { get, made } = counted(0);
  for (let at = 0; at <= 2_000; at++) await get(`${at}`, `${at}`);
  made.clear();
  await get('0', '1', '2000');
  expect(Object.fromEntries(made)).toEqual({ 0: 1 });
});

test('the response cache evicts nothing for a result that is requested only once', async () => {
  const { get, made } = counted(MIB);
  await get('a', 'a', ...Array.from({ length: 5_000 }, (_, at) => `crawled ${at}`), 'a');
  expect(made.get('a')).toBe(2);
});

test.each([
  ['a result of more than 1 MiB', 'a', MIB + 1],
  ['a result with a name of more than 512 characters', 'x'.repeat(513), 1],
])('the response cache does not keep %s', async (_what, key, bytes) => {
  const { get, made } = counted(bytes);
  await get(key, key, key, key);
  expect(made.get(key)).toBe(4);
});

test('the response cache does not keep failures', async () => {
  const cache = open();
  await expect(cache.result(SNAPSHOT, 'a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.result(SNAPSHOT, 'a', async () => ({ bytes: 1 }))).resolves.toEqual({ bytes: 1 });
});

test('the response cache keeps nothing of another snapshot, even if it is computed during a switch', async () => {
  const cache = open();
  const next = {};
  const held = Promise.withResolvers<{ bytes: number }>();
  const running = [1, 2].map(() => cache.result(SNAPSHOT, 'a', () => held.promise));
  cache.reset(next);
  held.resolve({ bytes: 1 });
  await Promise.all(running);
  for (const bytes of [2, 3, 4]) expect(cache.result(SNAPSHOT, 'a', () => ({ bytes }))).toEqual({ bytes });
  expect(cache.result(next, 'a', () => ({ bytes: 5 }))).toEqual({ bytes: 5 });
});
