export const MIN_LENGTH = 15;
export const MAX_LENGTH = 128;

/** Whether it has 15 to 128 code points. */
export function hasAllowedLength(password: string): boolean {
  // A code point has at most two code units: long texts are not split.
  if (password.length > 2 * MAX_LENGTH) return false;
  const { length } = [...password];
  return length >= MIN_LENGTH && length <= MAX_LENGTH;
}
