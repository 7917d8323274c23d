import { exactJson } from '@agent-fleet/sdk/exact-json';

/** Controls (C0, DEL, C1), marks of writing direction, line separators and the byte order mark. */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;
/** In JSON also marks without a width, which make a text look like another. */
const UNSAFE_IN_JSON = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const LINE_BREAKS = /[\t\n]/g;
/** The pictures of the controls (U+2400…) show which one it is. */
const PICTURES = 0x2400;

/**
 * Makes a text from elsewhere harmless for a terminal: no escape sequence and no reversed writing; line breaks and tabs
 * stay.
 */
export function safeText(text: string): string {
  return text.toWellFormed().replace(/\r\n/g, '\n').replace(UNSAFE, show);
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text).replace(LINE_BREAKS, ' ');
}

/** JSON without characters that act on a terminal: as escapes, so that its value stays. */
export function safeJson(value: unknown, indent?: number): string {
  const text = exactJson.stringify(value, indent) ?? 'null';
  return text.replace(UNSAFE_IN_JSON, (mark) => (mark === '\n' ? mark : [...mark.split('')].map(escapeUnit).join('')));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A name on one line, in which no letter of another alphabet looks like one of ASCII. */
export function safeAscii(text: string): string {
  return safeLine(text).replace(/[^\x20-\x7e]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

function show(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16)}}`;
}
