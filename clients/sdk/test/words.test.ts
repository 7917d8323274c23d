import { expect, test } from '@jest/globals';
import { relativeTime } from '../src/words.ts';

test.each([
  [0, 'now'],
  [-0.5, 'now'],
  [-59, '59 s ago'],
  [-60, '1 min ago'],
  [-3_599, '59 min ago'],
  [-7_200, '2 h ago'],
  [-90_000, '1 d ago'],
  [89, 'in 1 min'],
  [86_398, 'in 24 h'],
])('a time %d s from now is %j', (seconds, shown) => {
  const now = Date.parse('2026-11-25T12:00:00Z');
  expect(relativeTime(new Date(now + seconds * 1_000).toISOString(), now)).toBe(shown);
});

test('a time that is none is shown as it is', () => {
  expect([relativeTime(null), relativeTime(undefined), relativeTime('soon')]).toEqual(['', '', 'soon']);
});
