/** Escape sequences would reach the terminals of people who browse, and bidirectional overrides disguise names. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const UNPRINTABLE_BUT_LINES = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const MEANINGFUL = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** A text on one line, well formed, without control characters. */
export function cleanLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(UNPRINTABLE, '').trim();
}

/** The same, line breaks and tabs kept. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(UNPRINTABLE_BUT_LINES, '').trim();
}

/** Whether a text holds a letter, a digit or a pictograph: registries hold names and descriptions such as `|` and `>-`. */
export function isMeaningful(text: string): boolean {
  return MEANINGFUL.test(text);
}

/** For sorting: by code units, so that an order never depends on a locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** At most `max` Unicode code points. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text.slice(0, max * 2)];
  return points.length <= max ? points.join('') : points.slice(0, max).join('').trimEnd();
}
