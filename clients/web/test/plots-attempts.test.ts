import { describe, expect, test } from '@jest/globals';
import { type Attempt, placeOf, type TimedTask, toTimelineRows } from '../src/plots/attempt-rows.ts';

const START = Date.parse('2026-11-25T14:00:00Z');

function at(seconds: number): string {
  return new Date(START + seconds * 1_000).toISOString();
}

function task(fields: Partial<TimedTask> = {}): TimedTask {
  const times = { scheduled_at: null, next_attempt_at: null, completed_at: null };
  return { status: 'pending', created_at: at(0), ...times, ...fields };
}

const UNKNOWN = { usage: null, cost: null, model: null };

function attempt(number: number, from: number, to: number | null, outcome: Attempt['outcome']): Attempt {
  const ended_at = to === null ? null : at(to);
  return { number, worker_id: 'builder-7', started_at: at(from), ended_at, outcome, error: null, ...UNKNOWN };
}

function summary(of: TimedTask, attempts: Attempt[], now: number) {
  return toTimelineRows(of, attempts, START + now * 1_000).map(({ kind, span, gap, isGoingOn }) => [
    kind,
    (span.from - START) / 1_000,
    (span.to - START) / 1_000,
    ...(gap ? [`${gap.isRetryDelay ? 'retry' : 'pause'} ${(gap.to - gap.from) / 1_000}`] : []),
    ...(isGoingOn ? ['now'] : []),
  ]);
}

describe('the rows of a timeline', () => {
  test('a task that has not started waits until now', () => {
    expect(summary(task(), [], 30)).toEqual([['waiting', 0, 30, 'now']]);
  });

  test('a scheduled task is scheduled first, and waits once it is due', () => {
    const scheduled = task({ scheduled_at: at(60) });
    expect(summary(scheduled, [], 30)).toEqual([['scheduled', 0, 30, 'now']]);
    expect(summary(scheduled, [], 90)).toEqual([
      ['scheduled', 0, 60],
      ['waiting', 60, 90, 'now'],
    ]);
  });

  test('a failed attempt is followed by its retry delay, a lost one by a pause', () => {
    const attempts = [
      attempt(1, 10, 20, 'failed'),
      attempt(2, 25, 40, 'lease_expired'),
      attempt(3, 42, 60, 'completed'),
    ];
    expect(summary(task({ status: 'completed', completed_at: at(60) }), attempts, 500)).toEqual([
      ['waiting', 0, 10],
      ['failed', 10, 20],
      ['lease_expired', 25, 40, 'retry 5'],
      ['completed', 42, 60, 'pause 2'],
    ]);
  });

  test('a running attempt lasts until now, never less than nothing, and says that it waits for input', () => {
    const running = task({ status: 'running' });
    expect(summary(running, [attempt(1, 10, null, 'running')], 25).at(-1)).toEqual(['running', 10, 25, 'now']);
    expect(summary(running, [attempt(1, 10, null, 'running')], 5).at(-1)).toEqual(['running', 10, 10, 'now']);
    const asking = task({ status: 'input_required' });
    expect(summary(asking, [attempt(1, 10, null, 'running')], 25).at(-1)).toEqual(['input_required', 10, 25, 'now']);
  });

  test('a task that waits for its retry has a row for that', () => {
    const waiting = task({ next_attempt_at: at(100) });
    expect(summary(waiting, [attempt(1, 10, 20, 'failed')], 50).at(-1)).toEqual(['retry_delay', 20, 50, 'now']);
  });

  test('a task that was cancelled while it waited for its retry shows how long it had waited', () => {
    const cancelled = task({ status: 'cancelled', completed_at: at(80) });
    expect(summary(cancelled, [attempt(1, 10, 20, 'failed')], 500).at(-1)).toEqual(['retry_delay', 20, 80]);
  });
});

describe('the scale of a timeline', () => {
  const running = task({ status: 'running' });
  const placesOf = (attempts: Attempt[], seconds: number) => {
    const rows = toTimelineRows(running, attempts, START + seconds * 1_000);
    return rows.map(({ span }) => placeOf(span, rows));
  };

  test('rows lie where they were in time', () => {
    expect(placesOf([attempt(1, 20, 50, 'failed'), attempt(2, 60, null, 'running')], 100)).toEqual([
      { left: 0, width: 20 },
      { left: 20, width: 30 },
      { left: 60, width: 40 },
    ]);
  });

  test('a task of no time has places, too', () => {
    expect(placesOf([], 0)).toEqual([{ left: 0, width: 0 }]);
  });
});
