import { readFileSync } from 'node:fs';
import { fingerprintOf, fold, hasAllowedLength, MAX_LENGTH, MIN_LENGTH } from './password-text.ts';

/** The fingerprints of the 3,000 most frequent passwords; `make-frequent-passwords.ts` writes the file. */
const FREQUENT = new Set(
  readFileSync(new URL('frequent-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
);

/** A word that long counts as short: repeating it makes a longer password, not a better one. */
const MAX_REPEATED_LENGTH = 10;

/**
 * What is wrong with a new password, to follow its field's name; undefined when it may be used. Length counts in NFC,
 * nothing is trimmed (NIST SP 800-63B, section 3.1.1.2). Texts are compared folded.
 */
export function findPasswordProblem(sent: string, email?: string): string | undefined {
  const password = sent.normalize('NFC');
  if (!hasAllowedLength(password)) return `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`;
  // A lone surrogate is hashed as U+FFFD: another password would match.
  if (!password.isWellFormed()) return 'must be well-formed Unicode';
  const folded = fold(password);
  if (email !== undefined && isEmail(folded, fold(email))) return 'is the e-mail address';
  if (isRepeatedWord(folded)) return 'is one short word repeated';
  if (FREQUENT.has(fingerprintOf(password))) return 'is one of the most frequent passwords';
  return undefined;
}

/** Also true for the part before the last `@`. */
function isEmail(password: string, email: string): boolean {
  return password === email || password === email.slice(0, Math.max(0, email.lastIndexOf('@')));
}

/** Whether it is a word of at most 10 code points, at least twice; the last time it may be cut short. */
function isRepeatedWord(password: string): boolean {
  const characters = [...password];
  const longest = Math.min(MAX_REPEATED_LENGTH, Math.floor(characters.length / 2));
  for (let period = 1; period <= longest; period += 1) {
    if (characters.every((character, at) => at < period || character === characters[at - period])) return true;
  }
  return false;
}
