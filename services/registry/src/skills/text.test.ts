import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { cleanLine, cleanText, cutText, isCleanLine, isLongerThan, isMeaningful } from './text.ts';

const MARKS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Character by character, without a short cut. */
function cleanedLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(MARKS, '').trim();
}

function cleanedText(text: string): string {
  const lines = text.toWellFormed().replace(/\r\n?/g, '\n');
  return [...lines]
    .filter((character) => character === '\n' || character === '\t' || !character.match(MARKS))
    .join('')
    .trim();
}

/** White space, controls, marks of direction, halves of surrogate pairs, and letters. */
const ODD = [
  ...'\u0000\t\n\r \u007f\u009f\u00a0\u061c\u1680\u2003\u200e\u2028\u202e\u202f\u205f\u2066\u3000\ufeff😀é語ab',
  '\ud800',
  '\udc00',
];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ODD) }),
  unicodeText(),
  fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
);

test('any text is cleaned in the same way as character by character', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(cleanLine(given)).toBe(cleanedLine(given));
      expect(cleanText(given)).toBe(cleanedText(given));
      if (isCleanLine(given)) expect(cleanedLine(given)).toBe(given);
    }),
    { numRuns: runs(2_000) },
  );
}, 120_000);

test('every code unit is cleaned in the same way as character by character', () => {
  const missed: number[] = [];
  for (let code = 0; code <= 0xffff; code++) {
    const around = `a${String.fromCharCode(code)}b`;
    if (cleanLine(around) !== cleanedLine(around) || cleanText(around) !== cleanedText(around)) missed.push(code);
  }
  expect(missed).toEqual([]);
}, 120_000);

test('a text is meaningful with a letter, a digit or a pictograph', () => {
  expect(['a', 'Z', '0', '- 9', '語', '😀'].filter((given) => !isMeaningful(given))).toEqual([]);
  expect(['|', '>-', '', ' ', '@[`{'].filter(isMeaningful)).toEqual([]);
});

test('a text is measured and truncated in code points, without white space at the end', () => {
  expect([cutText('😀😀😀', 2), cutText('😀😀', 2), cutText('ab cd', 3)]).toEqual(['😀😀', '😀😀', 'ab']);
  expect([isLongerThan('😀😀', 2), isLongerThan('abc', 3)]).toEqual([false, false]);
  expect([isLongerThan('😀😀', 1), isLongerThan('abc', 1)]).toEqual([true, true]);
});
