import { expect, test } from '@jest/globals';
import { isTimeZone, toEdges } from './spend-steps.ts';

const at = (text: string) => Date.parse(text);
const edgesOf = (from: string, to: string, step: 'hour' | 'day' | 'month', zone: string) =>
  toEdges(at(from), at(to), step, zone).times.map((ms) => new Date(ms).toISOString().slice(0, 16));

test('days begin at midnight of the time zone, also those of 23 and 25 hours', () => {
  expect(edgesOf('2026-03-28T12:00Z', '2026-03-29T23:00Z', 'day', 'Europe/Berlin')).toEqual([
    '2026-03-27T23:00',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
    '2026-03-30T22:00',
  ]);
  expect(edgesOf('2026-10-24T22:00Z', '2026-10-25T23:00Z', 'day', 'Europe/Berlin')).toEqual([
    '2026-10-24T22:00',
    '2026-10-25T23:00',
  ]);
  // There is no midnight on that day.
  expect(edgesOf('2026-09-06T12:00Z', '2026-09-06T13:00Z', 'day', 'America/Santiago')).toEqual([
    '2026-09-06T04:00',
    '2026-09-07T03:00',
  ]);
});

test('hours begin with those of the time zone', () => {
  expect(edgesOf('2026-05-01T10:20Z', '2026-05-01T12:00Z', 'hour', 'Asia/Kolkata')).toEqual([
    '2026-05-01T09:30',
    '2026-05-01T10:30',
    '2026-05-01T11:30',
    '2026-05-01T12:30',
  ]);
  // The clock goes back by half an hour.
  const hours = edgesOf('2026-04-04T13:00Z', '2026-04-04T17:00Z', 'hour', 'Australia/Lord_Howe');
  expect(hours).toEqual([...new Set(hours)].toSorted());
  expect(hours.length).toBeLessThan(8);
});

test('months begin on the first day, and have their dates', () => {
  const { times, dates } = toEdges(at('2026-01-31T23:30Z'), at('2026-03-15'), 'month', 'Europe/Berlin');
  expect(times.map((ms) => new Date(ms).toISOString().slice(0, 13))).toEqual([
    '2026-01-31T23',
    '2026-02-28T23',
    '2026-03-31T22',
  ]);
  expect(dates.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))).toEqual([
    '2026-02-01',
    '2026-03-01',
    '2026-04-01',
  ]);
});

test('a time zone is a name of IANA', () => {
  expect(['UTC', 'Europe/Berlin', 'Asia/Kolkata'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['', 'Mars/Base', '+01:00', 'x'.repeat(99)].map(isTimeZone)).toEqual([false, false, false, false]);
});
