import type { Event } from '@agent-fleet/sdk';
import { describe, expect, test } from '@jest/globals';
import { createRecentEvents } from '../src/activity/recent-events.ts';

const eventOf = (id: number): Event => ({ id: String(id), type: 'task.created', at: '2026-11-25T10:00:00.000Z' });
const idsOf = (events: readonly Event[]) => events.map(({ id }) => Number(id));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

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
