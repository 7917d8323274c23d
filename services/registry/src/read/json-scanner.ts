import { grow } from '../memory/arrays.ts';
import { UpstreamError } from '../source/errors.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

/** Kinds of bytes within a string; 0 is a plain character. */
const ENDS = 1;
const ESCAPES = 2;
const FORBIDDEN = 3;
const BEYOND_ASCII = 4;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE) return ENDS;
  if (byte === BACKSLASH) return ESCAPES;
  if (byte < 0x20) return FORBIDDEN;
  return byte >= 0x7f ? BEYOND_ASCII : 0;
});

/**
 * Walks JSON in UTF-8 without creating values, as strictly as `JSON.parse`: it throws an `UpstreamError` `not_json`. It
 * has its own stack, so that depth is unlimited. Invalid UTF-8 within strings is accepted.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** The open containers, innermost last: 1 for an object. */
  #stack = new Uint8Array(64);
  /** Set when a string has a byte of 0x7f or more; the caller resets it. */
  hasBeyondAscii = false;
  /** Set when a string has a backslash; the caller resets it. */
  hasEscapes = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  skipSpace(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++;
    return at;
  }

  /** Calls `visit` with the start of each element of the list at `from`; it returns the end of the element. */
  walkList(from: number, visit: (at: number) => number): number {
    let at = this.skipSpace(from + 1);
    if (this.#bytes[at] === CLOSE_LIST) return at + 1;
    for (;;) {
      at = this.skipSpace(visit(at));
      const byte = this.#bytes[at];
      if (byte === CLOSE_LIST) return at + 1;
      if (byte !== COMMA) throw this.#refuse(at);
      at = this.skipSpace(at + 1);
    }
  }

  /** The same for an object. The span of a key includes its quotes. */
  walkObject(from: number, visit: (keyStart: number, keyEnd: number, at: number) => number): number {
    let at = this.skipSpace(from + 1);
    if (this.#bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const keyEnd = this.#skipString(at);
      at = this.skipSpace(visit(at, keyEnd, this.#skipColon(keyEnd)));
      const byte = this.#bytes[at];
      if (byte === CLOSE_OBJECT) return at + 1;
      if (byte !== COMMA) throw this.#refuse(at);
      at = this.skipSpace(at + 1);
    }
  }

  /** Returns the end of the value at `from`. */
  skipValue(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let depth = 0;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#skipString(at);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        const isObject = byte === OPEN_OBJECT;
        at = this.skipSpace(at + 1);
        if (bytes[at] !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
          this.#open(depth++, isObject, at);
          if (isObject) at = this.#skipKey(at);
          continue;
        }
        at++;
      } else at = this.#skipLiteral(at);
      // A value has ended: closes containers until another value follows.
      for (;;) {
        if (depth === 0) return at;
        at = this.skipSpace(at);
        const isObject = this.#stack[depth - 1] === 1;
        const next = bytes[at];
        if (next === COMMA) {
          at = this.skipSpace(at + 1);
          if (isObject) at = this.#skipKey(at);
          break;
        }
        if (next !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) throw this.#refuse(at);
        depth--;
        at++;
      }
    }
  }

  /** @throws UpstreamError if anything but white space follows */
  expectEnd(from: number): void {
    const at = this.skipSpace(from);
    if (at < this.#bytes.length) throw this.#refuse(at);
  }

  #open(depth: number, isObject: boolean, at: number): void {
    // Every container needs a closing byte: this bounds the stack.
    if (depth >= this.#bytes.length - at) throw this.#refuse(this.#bytes.length);
    if (depth === this.#stack.length) this.#stack = grow(this.#stack, depth * 2);
    this.#stack[depth] = isObject ? 1 : 0;
  }

  #skipKey(at: number): number {
    return this.#skipColon(this.#skipString(at));
  }

  #skipColon(keyEnd: number): number {
    const at = this.skipSpace(keyEnd);
    if (this.#bytes[at] !== COLON) throw this.#refuse(at);
    return this.skipSpace(at + 1);
  }

  #skipString(from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] !== QUOTE) throw this.#refuse(from);
    const lastFour = bytes.length - 4;
    let at = from + 1;
    for (;;) {
      while (at <= lastFour && isPlain(this.#view.getInt32(at, true))) at += 4;
      while (KIND[bytes[at]!] === 0) at++;
      const kind = KIND[bytes[at]!];
      if (kind === ENDS) return at + 1;
      if (kind === ESCAPES) {
        this.hasEscapes = true;
        at = this.#skipEscape(at + 1);
      } else if (kind === BEYOND_ASCII) {
        this.hasBeyondAscii = true;
        while (bytes[at]! >= 0x7f) at++;
      } else throw this.#refuse(at);
    }
  }

  #skipEscape(at: number): number {
    switch (this.#bytes[at]) {
      case QUOTE:
      case BACKSLASH:
      case 0x2f: // /
      case 0x62: // b
      case 0x66: // f
      case 0x6e: // n
      case 0x72: // r
      case 0x74: // t
        return at + 1;
      case 0x75: // u
        for (let digit = at + 1; digit < at + 5; digit++) if (!this.#isHexDigit(digit)) throw this.#refuse(digit);
        return at + 5;
      default:
        throw this.#refuse(at);
    }
  }

  #isHexDigit(at: number): boolean {
    const lower = (this.#bytes[at] ?? 0) | 0x20;
    return this.#isDigit(at) || (lower >= 0x61 && lower <= 0x66);
  }

  #skipLiteral(from: number): number {
    switch (this.#bytes[from]) {
      case TRUE[0]:
        return this.#skipWord(from, TRUE);
      case FALSE[0]:
        return this.#skipWord(from, FALSE);
      case NULL[0]:
        return this.#skipWord(from, NULL);
      default:
        return this.#skipNumber(from);
    }
  }

  #skipWord(from: number, word: Uint8Array): number {
    for (let at = 1; at < word.length; at++) if (this.#bytes[from + at] !== word[at]) throw this.#refuse(from + at);
    return from + word.length;
  }

  #skipNumber(from: number): number {
    const bytes = this.#bytes;
    let at = bytes[from] === MINUS ? from + 1 : from;
    at = bytes[at] === ZERO ? at + 1 : this.#skipDigits(at);
    if (bytes[at] === 0x2e) at = this.#skipDigits(at + 1);
    if (((bytes[at] ?? 0) | 0x20) === 0x65) {
      const sign = bytes[at + 1];
      at = this.#skipDigits(sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
    }
    return at;
  }

  #skipDigits(from: number): number {
    if (!this.#isDigit(from)) throw this.#refuse(from);
    let at = from + 1;
    while (this.#isDigit(at)) at++;
    return at;
  }

  #isDigit(at: number): boolean {
    const byte = this.#bytes[at] ?? 0;
    return byte >= ZERO && byte <= 0x39;
  }

  #refuse(at: number): UpstreamError {
    const length = this.#bytes.length;
    const what = at >= length ? `is incomplete: it ends after ${length} bytes` : `is not valid JSON at byte ${at}`;
    return new UpstreamError('not_json', `The file ${what}`);
  }
}

/**
 * Checks four bytes at once: none ends a string, escapes, is forbidden or beyond ASCII. It may be false for plain bytes
 * but is never true for others.
 */
function isPlain(four: number): boolean {
  const quotes = four ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  const found =
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes) |
    (four - 0x20202020) |
    (four + 0x01010101) |
    four;
  return (found & 0x80808080) === 0;
}
