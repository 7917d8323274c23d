import { HASH_SEED, hashUnit } from './fnv-1a.ts';
import { fold } from './fold.ts';
import { ASCII_LETTERS, kindOf, LETTER, UNSPACED } from './letters.ts';

/** Longer words are cut, in skills and in queries alike. */
export const MAX_WORD_UNITS = 64;

/** Takes the words of a text one after the other. */
export interface WordSink {
  /**
   * `units` up to `length` is the word, to be copied; `hash` is that of `hashUnit` over them. `isGram`: of a script
   * without spaces, either two neighbouring characters or the last one of a run.
   */
  take(units: Uint16Array, length: number, hash: number, isGram: boolean): void;
}

/**
 * Splits text at everything that is no letter or digit and folds the words. A run of a script without spaces gives each
 * pair of neighbours and its last character, so that any part of the run is found by its own pairs, a single character
 * by its beginning.
 */
export class WordSplitter {
  readonly #units = new Uint16Array(MAX_WORD_UNITS);
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(1 << 13);

  split(text: string, sink: WordSink): void {
    // Three bytes a code unit are enough for any text, so that only ASCII has as many bytes as code units.
    if (text.length * 3 > this.#bytes.length) this.#bytes = new Uint8Array(text.length * 3);
    const { written } = this.#encoder.encodeInto(text, this.#bytes);
    if (written === text.length) this.#splitAscii(written, sink);
    else this.#splitFolded(fold(text), sink);
  }

  /** Bytes in one array are read several times as fast as the characters of a string. */
  #splitAscii(size: number, sink: WordSink): void {
    const units = this.#units;
    const bytes = this.#bytes;
    const letters = ASCII_LETTERS;
    const seed = HASH_SEED;
    let length = 0;
    let hash = seed;
    for (let at = 0; at < size; at++) {
      const letter = letters[bytes[at] as number] as number;
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
      const codePoint = text.codePointAt(at) as number;
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
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}
