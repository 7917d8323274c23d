import { readFileSync } from 'node:fs';
import { fingerprintOf } from './password-fingerprint.ts';

/** The fingerprints of the 3,000 most frequent passwords; `make-frequent-passwords.ts` writes the file. */
const FINGERPRINTS = new Set(
  readFileSync(new URL('frequent-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
);

/** Whether it is one of the 3,000 most frequent passwords of 15 to 128 code points, in any case. */
export function isFrequentPassword(password: string): boolean {
  return FINGERPRINTS.has(fingerprintOf(password));
}
