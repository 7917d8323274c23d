import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/property-runs.ts';
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

const ODD = [
  '\u0000',
  '\t',
  '\n',
  '\r',
  ' ',
  '\u007f',
  '\u009f',
  '\u00a0',
  '\u061c',
  '\u1680',
  '\u2003',
  '\u200e',
  '\u2028',
];
const ODDER = [
  '\u202e',
  '\u202f',
  '\u205f',
  '\u2066',
  '\u3000',
  '\ufeff',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  '語',
  'a',
  'b',
];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ODD, ...ODDER) }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
);
const plain = fc.stringMatching(/^[ -~]*$/);

describe('a text', () => {
  test('is cleaned the same whether or not it seems to need it', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(cleanLine(given)).toBe(cleanedLine(given));
        expect(cleanText(given)).toBe(cleanedText(given));
        if (isCleanLine(given)) expect(cleanedLine(given)).toBe(given);
      }),
      { numRuns: runs(2_000) },
    );
  }, 120_000);

  test('of printable ASCII is cleaned the same when that is known', () => {
    fc.assert(
      fc.property(plain, (given) => {
        expect(cleanLine(given, true)).toBe(cleanedLine(given));
        expect(cleanText(given, true)).toBe(cleanedText(given));
      }),
      { numRuns: runs(1_000) },
    );
  }, 120_000);

  test('has every code unit that cleaning would touch seen as unclean', () => {
    const missed: number[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      const around = `a${String.fromCharCode(code)}b`;
      if (cleanLine(around) !== cleanedLine(around) || cleanText(around) !== cleanedText(around)) missed.push(code);
    }
    expect(missed).toEqual([]);
  }, 120_000);

  test('is meaningful with a letter, a digit or a pictograph', () => {
    expect(['a', 'Z', '0', '- 9', '語', '😀', '|', '>-', '', ' ', '@[`{'].map(isMeaningful)).toEqual([
      ...new Array(6).fill(true),
      ...new Array(5).fill(false),
    ]);
  });

  test('is cut between code points', () => {
    expect(cutText('😀😀😀', 2)).toBe('😀😀');
    expect(cutText('😀😀', 2)).toBe('😀😀');
    expect(cutText('ab cd', 3)).toBe('ab');
    expect([isLongerThan('😀😀', 2), isLongerThan('😀😀', 1), isLongerThan('abc', 3), isLongerThan('abc', 1)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});
