/** RFC 5321 section 4.5.3.1.3, without the angle brackets. */
const MAX_LENGTH = 254;
const SHAPE = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** The normalised form that identifies a user; undefined unless it is an e-mail address. */
export function normaliseEmail(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const email = text.trim().normalize('NFC').toLowerCase();
  return SHAPE.test(email) && email.isWellFormed() ? email : undefined;
}
