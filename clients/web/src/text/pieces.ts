import { safeLine } from './safe-text.ts';

/** What one element of a long text holds: layout of one element with a word of 1 MB takes seconds. */
const PIECE_CHARACTERS = 8_192;

/**
 * Cuts a text into pieces of at most `size` UTF-16 units for blocks of their own: after the end of a line, else after a
 * space, else between two characters.
 */
export function toPieces(text: string, size = PIECE_CHARACTERS): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > size) {
    const end = pieceEnd(text, start, size);
    pieces.push(text.slice(start, end));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

function pieceEnd(text: string, start: number, size: number): number {
  const whole = text.slice(start, start + size);
  const last = whole.lastIndexOf('\n') + 1 || whole.lastIndexOf(' ') + 1;
  return last > 0 ? start + last : boundary(text, start + size);
}

/** The beginning of a text, of at most `maxCharacters` UTF-16 units and no half of a surrogate pair. */
export function beginning(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : text.slice(0, boundary(text, maxCharacters));
}

function boundary(text: string, index: number): number {
  const code = text.charCodeAt(index - 1);
  return code >= 0xd800 && code <= 0xdbff ? index - 1 : index;
}

/** The size in UTF-8 without a copy of the text: a lone surrogate counts as U+FFFD does. */
export function utf8Bytes(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    const isPair = code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    size += code < 0x800 ? 1 : 2;
    // Two units, four bytes.
    if (isPair) index += 1;
  }
  return size;
}

/** The beginning of a text from elsewhere, on one line. */
export function short(text: string, maxCharacters: number): string {
  const part = beginning(text, maxCharacters);
  return safeLine(part.length < text.length ? `${part.trimEnd()}…` : part);
}

/** With a capital letter at the beginning. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
