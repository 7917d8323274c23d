import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findPasswordProblem } from './password-rules.ts';

const LENGTH = 'must have 15 to 128 characters';
const EMAIL = 'Christopher.Robin@example.com';

/** Of that many code points, nothing in them repeated. */
const textOfLength = (length: number) =>
  Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + 7 * at)).join('');

test.each([
  ['of 14 characters', textOfLength(14)],
  ['of 129 characters', textOfLength(129)],
  ['of 14 emoji, which are 28 code units', '🙂'.repeat(14)],
  ['of a million characters', textOfLength(1).repeat(1_000_000)],
  ['that is empty', ''],
])('refuses a password %s', (_which, password) => {
  expect(findPasswordProblem(password)).toBe(LENGTH);
});

test.each([
  ['of 15 characters', textOfLength(15)],
  ['of 128 characters', textOfLength(128)],
  ['of 128 code points in 256 code units', textOfLength(128).replaceAll(/./gu, (one) => fourBytes(one))],
  ['without digits, symbols and capitals', 'correct horse battery staple'],
  ['that is long only with its spaces', '  three words  '],
  ['with a NUL and a line break', 'one\0two\nthree four'],
])('accepts a password %s', (_which, password) => {
  expect(findPasswordProblem(password, EMAIL)).toBeUndefined();
});

test('counts the length of the composed text, however it is sent', () => {
  const composed = 'Zo\u00eb, No\u00ebl, Eve';
  for (const form of ['NFC', 'NFD']) {
    expect(findPasswordProblem(composed.normalize(form))).toBe(LENGTH);
    expect(findPasswordProblem(`${composed}!`.normalize(form))).toBeUndefined();
    expect(findPasswordProblem(`${textOfLength(127)}\u00eb`.normalize(form))).toBeUndefined();
  }
});

test.each(['high \ud800 surrogate', 'low \udc00 surrogate'])('refuses a lone surrogate', (password) => {
  expect(findPasswordProblem(password)).toBe('must be well-formed Unicode');
});

test.each([EMAIL, EMAIL.toUpperCase(), 'christopher.robin'])('refuses the e-mail address, as %s', (password) => {
  expect(findPasswordProblem(password, EMAIL)).toBe('is the e-mail address');
  expect(findPasswordProblem(password, 'someone.else@example.com')).toBeUndefined();
  expect(findPasswordProblem(password)).toBeUndefined();
});

test('refuses the e-mail address in another normalisation form', () => {
  expect(findPasswordProblem('zo\u00eb.smith@example.com', 'zoe\u0308.smith@example.com')).toBe(
    'is the e-mail address',
  );
});

test.each(['aaaaaaaaaaaaaaa', 'abcabcabcabcabc', 'passwordpasswordpa', 'PasswordpassWord', '🙂'.repeat(128)])(
  'refuses the repeated word %s',
  (password) => {
    expect(findPasswordProblem(password)).toBe('is one short word repeated');
  },
);

test('refuses a frequent password in any case', () => {
  for (const password of ['thisismypassword', 'ThisIsMyPassword', 'qwertyuiopasdfghjkl']) {
    expect(findPasswordProblem(password)).toBe('is one of the most frequent passwords');
  }
  expect(findPasswordProblem('thisismypassword ')).toBeUndefined();
});

test('refuses no password of random characters', () => {
  const password = fc.string({ unit: 'grapheme', minLength: 15, maxLength: 30 });
  fc.assert(
    fc.property(fc.uuid(), password, (id, text) => {
      expect(findPasswordProblem(`${id}${text}`, EMAIL)).toBe([...text].length > 92 ? LENGTH : undefined);
    }),
  );
});

test('refuses every short word that is repeated', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 10 }), (word) => {
      expect(findPasswordProblem(word.repeat(Math.ceil(30 / word.length)))).toBe('is one short word repeated');
    }),
  );
});

test('answers any text', () => {
  fc.assert(
    fc.property(unicodeText({ maxLength: 300 }), fc.string(), (password, email) => {
      expect(['undefined', 'string']).toContain(typeof findPasswordProblem(password, email));
    }),
  );
});

function fourBytes(character: string): string {
  return String.fromCodePoint((character.codePointAt(0) as number) + 0x20000);
}
