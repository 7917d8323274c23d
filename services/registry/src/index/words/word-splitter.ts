import { HASH_SEED, hashUnit } from '../text-interner.ts';
import { fold } from './fold.ts';
import { ASCII_LETTERS, kindOf, LETTER, UNSPACED } from './letters.ts';

/** Longer words are truncated, in skills and in queries. */
export const MAX_WORD_UNITS = 64;

/** Receives the words of a text in order. */
export interface WordSink {
  /**
   * The word is the first `length` of `units`, which are reused; `hash` is its FNV-1a hash. `isGram` marks words of a
   * script without spaces: two adjacent characters, or the last character of a run.
   */
  take(units: Uint16Array, length: number, hash: number, isGram: boolean): void;
}

/**
 * Folds a text and splits it at everything that is not a letter or digit. In scripts without spaces, a run yields its
 * bigrams and its last character. Every part of the run is found by its own bigrams, a single character as a prefix.
 */
export class WordSplitter {
  readonly #units = new Uint16Array(MAX_WORD_UNITS);
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(1 << 13);

  split(text: string, sink: WordSink): void {
    // UTF-8 takes at most three bytes per code unit, and only ASCII takes one.
    if (text.length * 3 > this.#bytes.length) this.#bytes = new Uint8Array(text.length * 3);
    const { written } = this.#encoder.encodeInto(text, this.#bytes);
    if (written === text.length) this.#splitAscii(written, sink);
    else this.#splitFolded(fold(text), sink);
  }

  /** Bytes of an array are read several times as fast as characters of a string. */
  #splitAscii(size: number, sink: WordSink): void {
    const units = this.#units;
    const bytes = this.#bytes;
    const letters = ASCII_LETTERS;
    const seed = HASH_SEED;
    let length = 0;
    let hash = seed;
    for (let at = 0; at < size; at++) {
      const letter = letters[bytes[at]!]!;
      if (letter !== 0) {
        if (length === MAX_WORD_UNITS) continue;
        units[length++] = letter;
        hash = hashUnit(hash, letter);
      } else if (length > 0) {
        sink.take(units, length, hash, false);
        length = 0;
        hash = seed;
      }
    }
    if (length > 0) sink.take(units, length, hash, false);
  }

  #splitFolded(text: string, sink: WordSink): void {
    let from = 0;
    let kind = 0;
    for (let at = 0; at < text.length; ) {
      const codePoint = text.codePointAt(at)!;
      const now = kindOf(codePoint);
      if (now !== kind) {
        this.#finishRun(text, from, at, kind, sink);
        from = at;
        kind = now;
      }
      at += codePoint > 0xffff ? 2 : 1;
    }
    this.#finishRun(text, from, text.length, kind, sink);
  }

  #finishRun(text: string, from: number, to: number, kind: number, sink: WordSink): void {
    if (kind === LETTER) this.#give(text, from, Math.min(to, from + MAX_WORD_UNITS), false, sink);
    if (kind !== UNSPACED) return;
    for (let at = from; at < to; ) {
      const next = at + sizeAt(text, at);
      this.#give(text, at, next < to ? next + sizeAt(text, next) : to, true, sink);
      at = next;
    }
  }

  #give(text: string, from: number, to: number, isGram: boolean, sink: WordSink): void {
    let hash = HASH_SEED;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      this.#units[at - from] = unit;
      hash = hashUnit(hash, unit);
    }
    sink.take(this.#units, to - from, hash, isGram);
  }
}

function sizeAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
