import { expect, test } from '@jest/globals';
import { ResultCache } from './result-cache.ts';

const MIB = 1024 * 1024;

/** A cache and how often each key had to be made. */
function counted(bytes: number) {
  const cache = new ResultCache();
  const made = new Map<string, number>();
  const ask = (key: string) =>
    cache.get(key, async () => {
      made.set(key, (made.get(key) ?? 0) + 1);
      return { bytes };
    });
  return { ask, made };
}

test('keeps an answer from the second time on', async () => {
  const { ask, made } = counted(10);
  for (let time = 0; time < 5; time++) await ask('a');
  expect(made.get('a')).toBe(2);
});

test('makes an answer once for those who ask meanwhile, and keeps it then', async () => {
  const { ask, made } = counted(10);
  await Promise.all([ask('a'), ask('a'), ask('a')]);
  await ask('a');
  expect(made.get('a')).toBe(1);
});

test('keeps what is made at once as it keeps what takes time', () => {
  const cache = new ResultCache();
  let made = 0;
  for (let time = 0; time < 5; time++) expect(cache.get('a', () => ({ bytes: ++made }))).not.toBeInstanceOf(Promise);
  expect(made).toBe(2);
});

test('drops what was not asked for longest once 8 MiB are full', async () => {
  const { ask, made } = counted(MIB);
  const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const key of [...eight, ...eight, 'a', 'i', 'i']) await ask(key);
  made.clear();
  for (const key of ['a', 'c', 'i', 'b']) await ask(key);
  expect(Object.fromEntries(made)).toEqual({ b: 1 });
});

test('holds a thousand answers at most', async () => {
  const { ask, made } = counted(0);
  const twice = async (key: string) => {
    await ask(key);
    await ask(key);
  };
  for (let at = 0; at <= 1_000; at++) await twice(`${at}`);
  made.clear();
  for (const key of ['0', '1', '1000']) await ask(key);
  expect(Object.fromEntries(made)).toEqual({ 0: 1 });
});

test('lets what is asked for only once push nothing out', async () => {
  const { ask, made } = counted(MIB);
  for (const key of ['a', 'a']) await ask(key);
  for (let at = 0; at < 5_000; at++) await ask(`crawled ${at}`);
  await ask('a');
  expect(made.get('a')).toBe(2);
});

test('does not keep what is larger than 1 MiB or has a long key', async () => {
  const large = counted(MIB + 1);
  for (let time = 0; time < 4; time++) await large.ask('a');
  expect(large.made.get('a')).toBe(4);
  const small = counted(1);
  const key = 'x'.repeat(513);
  for (let time = 0; time < 4; time++) await small.ask(key);
  expect(small.made.get(key)).toBe(4);
});

test('makes an answer anew that failed', async () => {
  const cache = new ResultCache();
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.get('a', async () => ({ bytes: 1 }))).resolves.toEqual({ bytes: 1 });
});
