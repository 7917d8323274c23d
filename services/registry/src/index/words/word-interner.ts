import { HASH_SEED, hashUnit } from '../fnv-1a.ts';
import { grow, TextInterner } from '../text-interner.ts';
import { ASCII_LETTERS } from './letters.ts';
import { MAX_SHORT_BYTES, ShortWords } from './short-words.ts';
import { MAX_WORD_UNITS } from './word-splitter.ts';

/** Numbers distinct words. Most words are short and ASCII; `ShortWords` finds them much faster. */
export class WordInterner {
  readonly texts = new TextInterner();
  /** The numbers of the words of the last text, in order: the first `foundCount` entries. */
  found = new Uint32Array(1 << 8);
  foundCount = 0;
  readonly #short = new ShortWords();
  readonly #units = new Uint16Array(MAX_WORD_UNITS);
  readonly #word = new DataView(new ArrayBuffer(MAX_SHORT_BYTES));
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(1 << 13);
  #view = new DataView(this.#bytes.buffer);

  /** The number of a folded word; -1 if there are too many. */
  intern(units: Uint16Array, length: number, hash: number): number {
    if (length > MAX_SHORT_BYTES) return this.texts.intern(units, length, hash);
    for (let at = 0; at < length; at++) {
      const unit = units[at] as number;
      if (unit > 127) return this.texts.intern(units, length, hash);
      this.#word.setUint8(at, unit);
    }
    return this.#internShort(this.#word, 0, length);
  }

  /** Finds the words of a text like `WordSplitter`; false if the text is not ASCII. */
  readAscii(text: string): boolean {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    const { written } = this.#encoder.encodeInto(text, bytes);
    if (written !== text.length) return false;
    bytes[written] = 0;
    this.#readWords(written);
    return true;
  }

  #readWords(size: number): void {
    const bytes = this.#bytes;
    const view = this.#view;
    const letters = ASCII_LETTERS;
    const found = this.found;
    let count = 0;
    for (let at = 0; at < size; at++) {
      const from = at;
      while (letters[bytes[at] as number] !== 0) at++;
      if (at === from) continue;
      const number =
        at - from > MAX_SHORT_BYTES ? this.#internLong(from, at) : this.#internShort(view, from, at - from);
      if (number >= 0) found[count++] = number;
    }
    this.foundCount = count;
  }

  #internShort(bytes: DataView, from: number, length: number): number {
    const known = this.#short.find(bytes, from, length);
    if (known >= 0) return known;
    for (let at = 0; at < length; at++) this.#units[at] = ASCII_LETTERS[bytes.getUint8(from + at)] as number;
    const number = this.texts.append(this.#units, length);
    if (number >= 0) this.#short.set(number);
    return number;
  }

  #internLong(from: number, to: number): number {
    const length = Math.min(to - from, MAX_WORD_UNITS);
    let hash = HASH_SEED;
    for (let at = 0; at < length; at++) {
      const letter = ASCII_LETTERS[this.#bytes[from + at] as number] as number;
      this.#units[at] = letter;
      hash = hashUnit(hash, letter);
    }
    return this.texts.intern(this.#units, length, hash);
  }

  /** UTF-8 takes at most three bytes per code unit; `ShortWords` reads beyond the end. */
  #reserve(length: number): void {
    const size = length * 3 + MAX_SHORT_BYTES;
    if (size > this.#bytes.length) {
      this.#bytes = new Uint8Array(size * 2);
      this.#view = new DataView(this.#bytes.buffer);
    }
    if (length > this.found.length * 2) this.found = grow(this.found, length);
  }
}
