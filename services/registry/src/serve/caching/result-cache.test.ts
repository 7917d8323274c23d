import { expect, test } from '@jest/globals';
import { ResultCache } from './result-cache.ts';

const MIB = 1024 * 1024;

/** A cache that counts how often each key is computed. */
function counted(bytes: number) {
  const cache = new ResultCache();
  const made = new Map<string, number>();
  const get = async (...keys: string[]) => {
    for (const key of keys) {
      await cache.get(key, async () => {
        made.set(key, (made.get(key) ?? 0) + 1);
        return { bytes };
      });
    }
  };
  return { get, made };
}

test('the result cache keeps a result from the second request on', async () => {
  const { get, made } = counted(10);
  await get('a', 'a', 'a', 'a', 'a');
  expect(made.get('a')).toBe(2);
});

test('the result cache computes a result once for concurrent requests, and keeps it', async () => {
  const { get, made } = counted(10);
  await Promise.all([get('a'), get('a'), get('a')]);
  await get('a');
  expect(made.get('a')).toBe(1);
});

test('the result cache keeps synchronous results, too', () => {
  const cache = new ResultCache();
  let made = 0;
  for (let time = 0; time < 5; time++) expect(cache.get('a', () => ({ bytes: ++made }))).not.toBeInstanceOf(Promise);
  expect(made).toBe(2);
});

test('the result cache evicts the least recently used results beyond 8 MiB', async () => {
  const { get, made } = counted(MIB);
  const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await get(...eight, ...eight, 'a', 'i', 'i');
  made.clear();
  await get('a', 'c', 'i', 'b');
  expect(Object.fromEntries(made)).toEqual({ b: 1 });
});

test('the result cache has at most a thousand results', async () => {
  const { get, made } = counted(0);
  for (let at = 0; at <= 1_000; at++) await get(`${at}`, `${at}`);
  made.clear();
  await get('0', '1', '1000');
  expect(Object.fromEntries(made)).toEqual({ 0: 1 });
});

test('the result cache evicts nothing for a key that is requested only once', async () => {
  const { get, made } = counted(MIB);
  await get('a', 'a', ...Array.from({ length: 5_000 }, (_, at) => `crawled ${at}`), 'a');
  expect(made.get('a')).toBe(2);
});

test.each([
  ['a result of more than 1 MiB', 'a', MIB + 1],
  ['a key of more than 512 characters', 'x'.repeat(513), 1],
])('the result cache does not keep %s', async (_what, key, bytes) => {
  const { get, made } = counted(bytes);
  await get(key, key, key, key);
  expect(made.get(key)).toBe(4);
});

test('the result cache does not keep failures', async () => {
  const cache = new ResultCache();
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.get('a', async () => ({ bytes: 1 }))).resolves.toEqual({ bytes: 1 });
});
