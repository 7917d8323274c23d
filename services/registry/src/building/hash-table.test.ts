import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashBytes, hashText } from './cyrb53.ts';
import { HashTable } from './hash-table.ts';

test('the table of hashes finds the first value of a key that fits, as it grows, too', () => {
  const keys = fc.array(fc.oneof(fc.nat(20), fc.maxSafeNat(), fc.constantFrom(1_023, 2_047)), { maxLength: 3_000 });
  fc.assert(
    fc.property(keys, fc.nat(3), (all, remainder) => {
      const table = new HashTable();
      for (const [value, key] of all.entries()) table.add(key, value);
      const fits = (value: number) => value % 4 >= remainder;
      for (const key of [...new Set(all), -1]) {
        const wanted = all.findIndex((other, value) => other === key && fits(value));
        expect(table.find(key, fits)).toBe(wanted === -1 ? undefined : wanted);
      }
    }),
    { numRuns: 20 },
  );
});

test('hashes of 53 bits are whole numbers that differ for texts that differ little, and by the seed', () => {
  const texts = Array.from({ length: 50_000 }, (_, at) => `{"id":"skill-${at}","stars":${at % 7}}`);
  const hashes = new Set(texts.map((text) => hashBytes(Buffer.from(text), 0, text.length)));
  expect(hashes.size).toBe(texts.length);
  expect([...hashes].every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  expect(new Set(texts.map((text) => hashText(text, 1))).size).toBe(texts.length);
  expect(hashText('a', 1)).not.toBe(hashText('a', 2));
  expect(hashBytes(Buffer.from('xay'), 1, 2)).toBe(hashBytes(Buffer.from('a'), 0, 1));
});
