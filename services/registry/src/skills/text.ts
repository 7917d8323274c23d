/** Escape sequences would reach terminals, and bidirectional overrides disguise names. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const UNPRINTABLE_BUT_LINES = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const MEANINGFUL = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Two spaces, or any character that cleaning might change: control characters, spaces, marks, surrogates. */
const UNCLEAN_LINE =
  / {2}|[^ -~\u00a1-\u061b\u061d-\u167f\u1681-\u1fff\u200b-\u200d\u2010-\u2027\u2030-\u205e\u2060-\u2065\u206a-\u2fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffff]/;
/** The same, but spaces, line breaks and tabs are clean. */
const UNCLEAN_TEXT =
  /[^\n\t -~\u00a0-\u061b\u061d-\u200d\u2010-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\uffff]/;

const SPACE = 0x20;

/** Cleans a text: one line, well formed, no control characters. `isPlain` texts are known to be printable ASCII. */
export function cleanLine(text: string, isPlain = false): string {
  if (isCleanLine(text, isPlain)) return text;
  return text.toWellFormed().replace(/\s+/g, ' ').replace(UNPRINTABLE, '').trim();
}

/** Whether `cleanLine` returns the text unchanged. */
export function isCleanLine(text: string, isPlain = false): boolean {
  if (text.charCodeAt(0) === SPACE || text.charCodeAt(text.length - 1) === SPACE) return false;
  return isPlain ? !text.includes('  ') : !UNCLEAN_LINE.test(text);
}

/** Like `cleanLine`, but keeps line breaks and tabs. */
export function cleanText(text: string, isPlain = false): string {
  if (isPlain || !UNCLEAN_TEXT.test(text)) return text.trim();
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(UNPRINTABLE_BUT_LINES, '').trim();
}

/** Whether a text has a letter, digit or pictograph: registries contain names and descriptions such as `|` and `>-`. */
export function isMeaningful(text: string): boolean {
  return isLetterOrDigit(text.charCodeAt(0)) || MEANINGFUL.test(text);
}

/** ASCII only. */
export function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** Compares by code units, so that the order does not depend on a locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Truncates to `max` Unicode code points. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text.slice(0, max * 2)];
  return points.length <= max ? points.join('') : points.slice(0, max).join('').trimEnd();
}

/** Whether a text has more than `max` Unicode code points. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > max * 2 || [...text].length > max);
}
