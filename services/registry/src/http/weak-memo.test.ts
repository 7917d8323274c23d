import { expect, test } from '@jest/globals';
import { WeakMemo } from './weak-memo.ts';

test('a memo makes a value once per owner, also for concurrent calls', async () => {
  let made = 0;
  const values = new WeakMemo(async () => ++made);
  const [one, other] = [{}, {}];
  expect(await Promise.all([values.of(one), values.of(one), values.of(other)])).toEqual([1, 1, 2]);
  expect(await values.of(one)).toBe(1);
});

test('a memo does not keep a failure, which rejects all concurrent calls', async () => {
  let made = 0;
  const values = new WeakMemo(async () => {
    if (++made === 1) throw new Error('no');
    return made;
  });
  const owner = {};
  const both = await Promise.allSettled([values.of(owner), values.of(owner)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([await values.of(owner), await values.of(owner)]).toEqual([2, 2]);
});
