import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Column, fields, table, toWidth, widthOf } from '../../src/output/table.ts';

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
