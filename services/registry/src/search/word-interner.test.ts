import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HASH_SEED, hashUnit } from './fnv-1a.ts';
import { textAt } from './text-table.ts';
import { WordInterner } from './word-interner.ts';

/** Both sides of the twelve letters up to which words are short. */
const LETTERS = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '0', '9'), minLength: 1, maxLength: 16 });

function read(words: WordInterner, text: string): number[] {
  expect(words.readAscii(text)).toBe(true);
  return [...words.found.subarray(0, words.foundCount)];
}

function intern(words: WordInterner, word: string): number {
  const units = Uint16Array.from(word, (letter) => letter.charCodeAt(0));
  return words.intern(units, units.length, units.reduce(hashUnit, HASH_SEED));
}

test('WordInterner gives each different word one number, whether it is read in a text or given, in any case', () => {
  fc.assert(
    fc.property(fc.array(LETTERS, { maxLength: 60 }), (given) => {
      const words = new WordInterner();
      const different = [...new Set(given)];
      const expected = given.map((word) => different.indexOf(word));
      expect(read(words, given.join(', '))).toEqual(expected);
      expect(read(words, `- ${given.join('__').toUpperCase()}!`)).toEqual(expected);
      expect(given.map((word) => intern(words, word))).toEqual(expected);
      const table = words.texts.tableOf(Uint32Array.from(different.keys()));
      expect(different.map((_, number) => textAt(table, number))).toEqual(different);
    }),
  );
});

test.each(['', 'abcd', 'abcdefgh', 'abcdefghijkl'])(
  'WordInterner tells tens of thousands of words apart that begin with "%s"',
  (start) => {
    const words = new WordInterner();
    const text = Array.from({ length: 40_000 }, (_, number) => start + number.toString(36)).join(' ');
    const numbers = read(words, text);
    expect(new Set(numbers).size).toBe(40_000);
    expect(read(words, text)).toEqual(numbers);
  },
);

test('WordInterner cuts words of more than 64 letters', () => {
  const words = new WordInterner();
  expect(read(words, `${'x'.repeat(64)} ${'x'.repeat(200)} ${'x'.repeat(63)}`)).toEqual([0, 0, 1]);
});

test('WordInterner leaves a text that is not all ASCII to the splitter', () => {
  expect(new WordInterner().readAscii('plain café')).toBe(false);
});
