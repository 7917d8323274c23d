import { createHash } from 'node:crypto';

export const MIN_LENGTH = 15;
export const MAX_LENGTH = 128;

/** Whether it has 15 to 128 code points. */
export function hasAllowedLength(password: string): boolean {
  // A code point has at most two code units: long texts are not split.
  if (password.length > 2 * MAX_LENGTH) return false;
  const { length } = [...password];
  return length >= MIN_LENGTH && length <= MAX_LENGTH;
}

/** The text as passwords are compared: without regard to case and to how accents are composed (NFC). */
export function fold(text: string): string {
  // Upper case first: 'ß' and 'ss', 'ς' and 'σ' are then the same.
  return text.toUpperCase().toLowerCase().normalize('NFC');
}

/** 48 bits of SHA-256 of the folded password, in base64url: one in 10^11 others is taken for a frequent one. */
export function fingerprintOf(password: string): string {
  return createHash('sha256').update(fold(password)).digest('base64url').slice(0, 8);
}
