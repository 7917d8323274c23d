import { expect, test } from '@jest/globals';
import { WorkNotifier } from './work-notifier.ts';

const offers = new Set<string>();

const LONG_MS = 20_000;

test('notifies one listener per task, the one that has waited longest first', async () => {
  const notifier = new WorkNotifier();
  const notified: string[] = [];
  const waits = ['a', 'b', 'c'].map((name) =>
    notifier
      .listen({ topics: ['type:x'], offers })
      .wait(LONG_MS)
      .then((isNotified) => isNotified && notified.push(name)),
  );
  notifier.notify({ topics: ['agent:1', 'type:x'], needs: '' }, 1);
  await waits[0];
  expect(notified).toEqual(['a']);
  notifier.notify({ topics: ['type:x'], needs: '' }, 5);
  await Promise.all(waits);
  expect(notified).toEqual(['a', 'b', 'c']);
});

test('keeps a notification that arrives before the wait', async () => {
  const notifier = new WorkNotifier();
  const listener = notifier.listen({ topics: ['type:x', 'type:y'], offers });
  notifier.notify({ topics: ['type:y'], needs: '' }, 1);
  expect(await listener.wait(LONG_MS)).toBe(true);
  expect(await listener.wait(1)).toBe(false);
});

test('passes the unused notification of a closed listener to the next one', async () => {
  const notifier = new WorkNotifier();
  const [closed, next] = [
    notifier.listen({ topics: ['type:x'], offers }),
    notifier.listen({ topics: ['type:x'], offers }),
  ];
  notifier.notify({ topics: ['type:x'], needs: '' }, 1);
  closed.close();
  closed.close();
  expect(await next.wait(LONG_MS)).toBe(true);
  expect(await next.wait(1)).toBe(false);
});

test('ends every wait when a listener or the notifier closes, and removes the listener', async () => {
  const notifier = new WorkNotifier();
  const [one, two] = [notifier.listen({ topics: ['type:x'], offers }), notifier.listen({ topics: ['type:x'], offers })];
  const waits = [one.wait(LONG_MS), two.wait(LONG_MS)];
  one.close();
  expect(await waits[0]).toBe(false);
  notifier.close();
  expect(await waits[1]).toBe(false);
  expect(await two.wait(LONG_MS)).toBe(false);
  two.close();
  expect(notifier.size).toBe(0);
});

test('passes over a listener that requires other topics', async () => {
  const notifier = new WorkNotifier();
  const limited = notifier.listen({ topics: ['agent:1', 'agent:2'], required: new Set(['type:x']), offers });
  const next = notifier.listen({ topics: ['type:y'], offers });
  notifier.notify({ topics: ['agent:1', 'type:y'], needs: '' }, 1);
  expect(await next.wait(LONG_MS)).toBe(true);
  expect(await limited.wait(1)).toBe(false);
  notifier.notify({ topics: ['agent:2', 'type:x'], needs: '' }, 1);
  expect(await limited.wait(LONG_MS)).toBe(true);
  expect(limited.used.topics).toEqual(['agent:2', 'type:x']);
});

test('passes the unused notification of a closed listener to one of the same work, not of its other topics', async () => {
  const notifier = new WorkNotifier();
  const closed = notifier.listen({ topics: ['agent:1', 'agent:2'], offers });
  const [other, same] = [
    notifier.listen({ topics: ['agent:1'], offers }),
    notifier.listen({ topics: ['type:x'], offers }),
  ];
  notifier.notify({ topics: ['agent:2', 'type:x'], needs: '' }, 1);
  closed.close();
  expect(await same.wait(LONG_MS)).toBe(true);
  expect(await other.wait(1)).toBe(false);
});

test('notifies and ends also a listener without topics', async () => {
  const notifier = new WorkNotifier();
  const listener = notifier.listen({ topics: [], offers });
  notifier.notifyAll();
  expect(await listener.wait(LONG_MS)).toBe(true);
  const waiting = listener.wait(LONG_MS);
  notifier.close();
  expect(await waiting).toBe(false);
});

test('passes over a listener that does not offer what the work needs', async () => {
  const notifier = new WorkNotifier();
  const topics = ['type:x'];
  const [plain, all] = [
    notifier.listen({ topics, offers: new Set(['=gpu']) }),
    notifier.listen({ topics, offers: new Set(['=gpu', 'input']) }),
  ];
  notifier.notify({ topics, needs: '=gpu+input' }, 2);
  expect(await all.wait(LONG_MS)).toBe(true);
  expect(await plain.wait(1)).toBe(false);
});
