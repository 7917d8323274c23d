import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExact, toComparable } from './exact-json.ts';

const VERBATIM = new Set(['free']);
const digits = (max: number) => fc.stringMatching(new RegExp(`^(0|[1-9]\\d{0,${max}})$`));
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits(24),
    fc.option(fc.stringMatching(/^\.\d{1,24}$/), { nil: '' }),
    fc.option(fc.stringMatching(/^[eE][+-]?\d{1,2}$/), { nil: '' }),
  )
  .map((parts) => parts.join(''));
const texts = fc.stringMatching(/^"([a-zé\u2028]|\\[bfnrt"\\/]|\\u[\dA-Fa-f]{4}){0,5}"$/);
const blanks = fc.constantFrom('', ' ', '\n');

test('numbers and texts of verbatim members are written as they were', () => {
  fc.assert(
    fc.property(fc.oneof(numbers, texts), (text) => {
      for (const json of [`{"free":${text}}`, `{"a":[{"free":[${text},{"b":${text}}]}]}`]) {
        expect(JSON.stringify(parseExact(json, VERBATIM))).toBe(json);
      }
    }),
    { numRuns: 500 },
  );
});

test('all else is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.oneof(numbers, texts), blanks, (text, blank) => {
      const json = `{"a":${blank}${text}${blank},"__proto__":[1,${text}]}`;
      expect(parseExact(json, VERBATIM)).toStrictEqual(JSON.parse(json));
    }),
  );
});

test.each([
  ['1.0', '1', true],
  ['-0', '0', true],
  ['1e2', '100.00', true],
  ['9007199254740993', '9007199254740993.0', true],
  ['90071992547409930e-1', '9007199254740993', true],
  ['9007199254740993', '9007199254740992', false],
  ['12e20', '1200000000000000000001', false],
])('%s and %s as numbers', (one, other, isSame) => {
  const value = (text: string) => {
    const { free } = parseExact(`{"free":${text}}`, VERBATIM) as { free: unknown };
    const plain = toComparable(free);
    return typeof plain === 'number' ? BigInt(plain) : plain;
  };
  expect(value(one) === value(other)).toBe(isSame);
});
