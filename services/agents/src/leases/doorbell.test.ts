import { expect, test } from '@jest/globals';
import { Doorbell } from './doorbell.ts';

const LONG_MS = 20_000;

test('a ring wakes one, the one who has waited longest', async () => {
  const bell = new Doorbell();
  const woken: string[] = [];
  const listeners = ['a', 'b', 'c'].map((name) => {
    const listener = bell.listen(['type:x']);
    const waiting = listener.wait(LONG_MS).then((rung) => rung && woken.push(name));
    return { listener, waiting };
  });
  bell.ring(['agent:1', 'type:x'], 1);
  await listeners[0]?.waiting;
  expect(woken).toEqual(['a']);
  bell.ring(['type:x'], 5);
  await Promise.all(listeners.map(({ waiting }) => waiting));
  expect(woken).toEqual(['a', 'b', 'c']);
});

test('a ring before the wait is not lost', async () => {
  const bell = new Doorbell();
  const listener = bell.listen(['type:x', 'type:y']);
  bell.ring(['type:y'], 1);
  expect(await listener.wait(LONG_MS)).toBe(true);
  expect(await listener.wait(1)).toBe(false);
});

test('a ring that its listener does not answer goes to the next', async () => {
  const bell = new Doorbell();
  const [gone, next] = [bell.listen(['type:x']), bell.listen(['type:x'])];
  bell.ring(['type:x'], 1);
  gone.close();
  gone.close();
  expect(await next.wait(LONG_MS)).toBe(true);
  expect(await next.wait(1)).toBe(false);
});

test('who waits hears of the end of the wait, and nobody is left behind', async () => {
  const bell = new Doorbell();
  const [one, two] = [bell.listen(['type:x']), bell.listen(['type:x'])];
  const waits = [one.wait(LONG_MS), two.wait(LONG_MS)];
  one.close();
  expect(await waits[0]).toBe(false);
  bell.close();
  expect(await waits[1]).toBe(false);
  expect(await two.wait(LONG_MS)).toBe(false);
  two.close();
  expect(bell.size).toBe(0);
});
