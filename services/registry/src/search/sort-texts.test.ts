import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sortTexts } from './sort-texts.ts';
import { tableOfTexts } from './text-table.ts';

function sorted(texts: readonly string[]): string[] {
  const numbers = Uint32Array.from(texts.keys()).reverse();
  sortTexts(tableOfTexts(texts), numbers);
  return Array.from(numbers, (number) => texts[number] as string);
}

test('sortTexts sorts by code units, whatever the texts begin with, end with or have in common', () => {
  const part = fc.constantFrom('a', 'b', 'ab', 'abcd', '\0', '\u00fe', '\u00ff', '\u0100', '技', '\u{1f600}');
  const text = fc.string({ unit: part, maxLength: 12 });
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 20, maxLength: 120 }), (texts) => {
      expect(sorted(texts)).toEqual([...texts].sort());
    }),
  );
});

test('sortTexts sorts texts that differ after thousands of letters only', () => {
  const texts = Array.from({ length: 300 }, (_, number) => 'same'.repeat(1_000) + ((number * 7_919) % 1_000));
  expect(sorted(texts)).toEqual([...texts].sort());
});
