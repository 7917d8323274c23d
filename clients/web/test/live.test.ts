import type { Event } from '@agent-fleet/sdk';
import { describe, expect, test } from '@jest/globals';
import { backoffMs } from '../src/live/backoff.ts';
import { createEventQueue } from '../src/live/event-queue.ts';
import type { Batch } from '../src/live/messages.ts';
import { createRecentEvents } from '../src/live/recent-events.ts';
import { createSettledId } from '../src/live/settled-id.ts';

const eventOf = (id: number): Event => ({ id: String(id), type: 'task.created', at: '2026-11-25T10:00:00.000Z' });
const idsOf = (events: readonly Event[]) => events.map(({ id }) => Number(id));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

function batchOf(first: number, last: number, after: number | undefined = first - 1): Batch {
  const events = range(first, last).map(eventOf);
  return { after, last, count: events.length, json: JSON.stringify(events) };
}

describe('the events of a tab', () => {
  function openQueue() {
    const scheduled: (() => void)[] = [];
    const delivered: number[][] = [];
    let missed = 0;
    const queue = createEventQueue({
      schedule: (run) => scheduled.push(run),
      deliver: (events) => delivered.push(idsOf(events)),
      onMissed: () => {
        missed += 1;
      },
    });
    const frame = () => {
      for (const run of scheduled.splice(0)) run();
    };
    return { queue, delivered, missed: () => missed, scheduled, frame };
  }

  test('all batches of a frame are delivered at once', () => {
    const { queue, delivered, scheduled, frame } = openQueue();
    queue.push(batchOf(1, 2));
    queue.push(batchOf(3, 5));
    expect(scheduled).toHaveLength(1);
    frame();
    queue.push(batchOf(6, 6));
    frame();
    expect(delivered).toEqual([[1, 2, 3, 4, 5], [6]]);
  });

  test('an event that comes again, from another leader, is delivered once', () => {
    const { queue, delivered, missed, frame } = openQueue();
    queue.push(batchOf(1, 4));
    frame();
    queue.push(batchOf(2, 3));
    queue.push(batchOf(3, 6));
    queue.push(batchOf(4, 5));
    frame();
    expect(delivered).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ]);
    expect(missed()).toBe(0);
  });

  test('a gap between batches is reported, and what follows is delivered', () => {
    const { queue, delivered, missed, frame } = openQueue();
    queue.push(batchOf(1, 2));
    queue.push(batchOf(5, 6));
    frame();
    expect(delivered).toEqual([[1, 2, 5, 6]]);
    expect(missed()).toBe(1);
  });

  test('ids that are not seen because of their agents are no gap', () => {
    const { queue, missed, frame } = openQueue();
    queue.push(batchOf(1, 2));
    queue.push(batchOf(7, 9, 2));
    frame();
    expect(missed()).toBe(0);
  });

  test('more than 5,000 waiting events are dropped and reported once', () => {
    const { queue, delivered, missed, frame } = openQueue();
    for (let first = 1; first <= 20_000; first += 1_000) queue.push(batchOf(first, first + 999));
    frame();
    expect(missed()).toBe(1);
    expect(delivered.flat().length).toBeLessThanOrEqual(5_000);
    queue.push(batchOf(20_001, 20_002));
    frame();
    expect(delivered.at(-1)).toEqual([20_001, 20_002]);
    expect(missed()).toBe(1);
  });

  test('a large amount of text is dropped and reported, too', () => {
    const { queue, delivered, missed, frame } = openQueue();
    const json = JSON.stringify([{ ...eventOf(1), data: { message: 'x'.repeat(9_000_000) } }]);
    queue.push({ after: 0, last: 1, count: 1, json });
    queue.push({ after: 1, last: 2, count: 1, json });
    frame();
    expect(delivered).toEqual([]);
    expect(missed()).toBe(1);
  });

  test('a tab that is behind the leader has missed events', () => {
    const { queue, delivered, missed, frame } = openQueue();
    queue.moveTo(3);
    queue.push(batchOf(2, 5));
    frame();
    expect([delivered, missed()]).toEqual([[[4, 5]], 0]);
    queue.moveTo(5);
    frame();
    expect(missed()).toBe(0);
    queue.moveTo(9);
    frame();
    expect(missed()).toBe(1);
  });

  test('ids may begin anew after a restart', () => {
    const { queue, delivered, missed, frame } = openQueue();
    queue.push(batchOf(1_000, 1_001));
    queue.restart();
    queue.push(batchOf(1, 2, undefined));
    frame();
    expect(delivered).toEqual([[1_000, 1_001, 1, 2]]);
    expect(missed()).toBe(1);
    expect(queue.last).toBe(2);
  });
});

describe('where a new leader begins', () => {
  test('is the last event of at least a second ago', () => {
    const settled = createSettledId();
    expect(settled.at(0)).toBeUndefined();
    settled.note(1, 0);
    expect(settled.at(10)).toBe(1);
    for (let now = 100; now < 2_000; now += 100) settled.note(1 + now / 100, now);
    expect(settled.at(1_999)).toBe(1);
    expect(settled.at(2_000)).toBe(11);
  });
});

describe('the newest events', () => {
  test('come first, and are as many as the limit', () => {
    const recent = createRecentEvents(5);
    recent.add(range(1, 3).map(eventOf));
    recent.add(range(4, 6).map(eventOf));
    expect(idsOf(recent.events.value)).toEqual([6, 5, 4, 3, 2]);
    recent.add(range(7, 20).map(eventOf));
    expect(idsOf(recent.events.value)).toEqual([20, 19, 18, 17, 16]);
  });

  test('are counted and not shown while they are paused', () => {
    const recent = createRecentEvents(5);
    recent.add([eventOf(1)]);
    recent.pause();
    for (let id = 2; id <= 30; id++) recent.add([eventOf(id)]);
    expect(idsOf(recent.events.value)).toEqual([1]);
    expect(recent.waiting.value).toBe(29);
    recent.resume();
    expect(idsOf(recent.events.value)).toEqual([30, 29, 28, 27, 26]);
    expect(recent.waiting.value).toBe(0);
  });
});

test('a stream is opened again after 1 to 2 s, and after many failures within 30 s', () => {
  expect([backoffMs(1, 0), backoffMs(1, 1)]).toEqual([1_000, 2_000]);
  expect([backoffMs(3, 0), backoffMs(3, 1)]).toEqual([4_000, 8_000]);
  expect([backoffMs(1_000, 0), backoffMs(1_000, 1)]).toEqual([15_000, 30_000]);
});
