import { expect, it } from '@jest/globals';
import { AnswerCache, type CachedAnswer } from './answer-cache.ts';

const answer = (bytes: number): CachedAnswer => ({
  body: Buffer.alloc(bytes),
  etag: '""',
  coding: 'identity',
  total: 0,
});

/** A cache and how often each key had to be made. */
function counted(bytes: number) {
  const cache = new AnswerCache();
  const made = new Map<string, number>();
  const ask = (key: string) =>
    cache.get(key, async () => {
      made.set(key, (made.get(key) ?? 0) + 1);
      return answer(bytes);
    });
  return { ask, made };
}

it('makes an answer once, also for those who ask meanwhile', async () => {
  const { ask, made } = counted(10);
  await Promise.all([ask('a'), ask('a')]);
  await ask('a');
  expect(made.get('a')).toBe(1);
});

it('drops what was not asked for longest once 8 MiB are full', async () => {
  const { ask, made } = counted(3 * 1024 * 1024);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
  expect(Object.fromEntries(made)).toEqual({ a: 1, b: 2, c: 1 });
});

it('makes an answer anew that failed', async () => {
  const cache = new AnswerCache();
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.get('a', async () => answer(1))).resolves.toMatchObject({ total: 0 });
});
