import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readSourceList, selectFrequentPasswords, toFingerprints } from './make-frequent-passwords.ts';
import { fold } from './password-text.ts';

test('the file holds the 3,000 most frequent passwords of the package that are long enough', () => {
  const passwords = selectFrequentPasswords(readSourceList());
  expect(new Set(passwords).size).toBe(3_000);
  const committed = readFileSync(new URL('frequent-passwords.txt', import.meta.url), 'utf8');
  // Not `toBe` of the texts: the difference would be thousands of lines.
  expect(committed === toFingerprints(passwords)).toBe(true);
});

test('selects in the order of the list, folded, each once', () => {
  const list = ['too short', 'Passw\u00f6rdPassword', 'passwo\u0308rdpassword', 'x'.repeat(129), '🙂'.repeat(15)];
  expect(selectFrequentPasswords(list)).toEqual(['passw\u00f6rdpassword', '🙂'.repeat(15)]);
});

test.each([
  ['STRASSE', 'straße'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['e\u0301', '\u00c9'],
])('%s and %s are the same when folded', (a, b) => {
  expect(fold(a)).toBe(fold(b));
});
