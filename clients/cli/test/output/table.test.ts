import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Column, fields, table, toWidth, widthOf } from '../../src/output/table.ts';
import { relativeTime } from '../../src/output/words.ts';

const UUID = '01a213b4-81f5-7548-b457-017e8b2b73aa';
interface Row {
  id: string;
  text: string;
  count: number;
}
const COLUMNS: Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'TEXT', value: ({ text }) => text },
  { title: 'COUNT', value: ({ count }) => count, isNumber: true },
];
const row = (text: string, count = 1): Row => ({ id: UUID, text, count });

test('columns of wide characters stand below each other', () => {
  const lines = table([row('日本語', 5), row('abc', 10), row('👩‍👩‍👧', 7)], COLUMNS);
  expect(new Set(lines.map(widthOf)).size).toBe(1);
});

test('lines fit the terminal, whatever is in them, and ids stay whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 54, max: 200 }), (texts, width) => {
      const [, ...lines] = table(
        texts.map((text) => row(text.repeat(9))),
        COLUMNS,
        width,
      );
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(line).toContain(UUID);
        expect(line).not.toContain('\n');
      }
    }),
  );
});

test('a text is cut between characters, and the cut shows', () => {
  expect(toWidth('日本語', 5)).toBe('日本…');
  expect(toWidth('日本語', 4)).toBe('日… ');
  expect(toWidth('abc', 3)).toBe('abc');
});

test('later lines of a value are indented, and empty values are left out', () => {
  expect(
    fields([
      ['a', 'x\ny'],
      ['long', 1],
      ['none', null],
      ['empty', ''],
    ]),
  ).toEqual(['a     x\n      y', 'long  1']);
});

test.each([
  [0, 'now'],
  [-59, '59 s ago'],
  [-60, '1 min ago'],
  [-3_599, '59 min ago'],
  [-7_200, '2 h ago'],
  [-90_000, '1 d ago'],
  [90, 'in 1 min'],
])('a time %i s from now is %j', (seconds, shown) => {
  const now = Date.parse('2026-11-25T12:00:00Z');
  expect(relativeTime(new Date(now + seconds * 1_000).toISOString(), now)).toBe(shown);
});

test('a time that is none is shown as it is', () => {
  expect([relativeTime(null), relativeTime(undefined), relativeTime('soon')]).toEqual(['', '', 'soon']);
});
