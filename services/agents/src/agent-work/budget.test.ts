import { expect, test } from '@jest/globals';
import { type Period, periodAt } from './budget.ts';

const periodOf = (now: string, period: Period, zone: string) => {
  const { from, until } = periodAt(Date.parse(now), period, zone);
  return [from, until].map((ms) => new Date(ms).toISOString().slice(0, 16));
};

test('days of a budget begin at midnight of its time zone, also those of 23 and 25 hours', () => {
  expect(periodOf('2026-03-29T10:00Z', 'day', 'Europe/Berlin')).toEqual(['2026-03-28T23:00', '2026-03-29T22:00']);
  expect(periodOf('2026-10-25T10:00Z', 'day', 'Europe/Berlin')).toEqual(['2026-10-24T22:00', '2026-10-25T23:00']);
  // There is no midnight on that day.
  expect(periodOf('2026-09-06T12:00Z', 'day', 'America/Santiago')).toEqual(['2026-09-06T04:00', '2026-09-07T03:00']);
});

test('weeks of a budget begin on Monday, months on their first day', () => {
  expect(periodOf('2026-11-29T23:59Z', 'week', 'UTC')).toEqual(['2026-11-23T00:00', '2026-11-30T00:00']);
  expect(periodOf('2026-11-29T23:59Z', 'week', 'Asia/Tokyo')).toEqual(['2026-11-29T15:00', '2026-12-06T15:00']);
  expect(periodOf('2026-12-31T23:00Z', 'month', 'America/New_York')).toEqual(['2026-12-01T05:00', '2027-01-01T05:00']);
});

test('a budget in total has no end', () => {
  expect(periodAt(Date.now(), 'total', 'UTC')).toEqual({ from: 0, until: Number.POSITIVE_INFINITY });
});
