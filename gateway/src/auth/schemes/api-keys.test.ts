import { expect, test } from '@jest/globals';
import { parseApiKeys } from './api-keys.ts';

const ONE = 'first-key-0123456789';
const TWO = 'second-key-0123456789';

test('names keys by their entry or their position', () => {
  const keys = parseApiKeys(`ci:${ONE}, ${TWO}`);
  expect(keys.nameOf(ONE)).toBe('ci');
  expect(keys.nameOf(TWO)).toBe('key-2');
});

test.each(['', ONE.slice(0, -1), ONE.toUpperCase(), `ci:${ONE}`, `${ONE},${TWO}`])(
  'does not accept the text %j as a key',
  (given) => {
    for (const list of [`ci:${ONE},${TWO}`, '']) expect(parseApiKeys(list).nameOf(given)).toBeUndefined();
  },
);

test('a key is known after its first use', () => {
  const keys = parseApiKeys(`ci:${ONE},${TWO}`);
  expect(keys.isKnown(ONE)).toBe(false);
  keys.nameOf(ONE);
  keys.nameOf('wrong');
  expect([keys.isKnown(ONE), keys.isKnown(TWO), keys.isKnown('wrong')]).toEqual([true, false, false]);
});

test.each([
  ['ci:', 'visible ASCII'],
  [`a b:${ONE}`, 'invalid name in entry 1 ('],
  [`:${ONE}`, 'invalid name in entry 1 ('],
  [`ci:${ONE} x`, 'visible ASCII'],
  [`ci:${ONE},ci:${TWO}`, 'duplicate name: ci'],
  [`a:${ONE},b:${ONE}`, 'duplicate key: b'],
])('refuses the list %j', (list, problem) => {
  expect(() => parseApiKeys(list)).toThrow(problem);
});
