import { grow, release } from '../../memory/arrays.ts';
import { FIELDS, type SearchIndexData } from '../index-data.ts';
import { HASH_SEED, hashUnit, TextInterner } from '../text-interner.ts';
import { spellSigns, spellText } from './technical-names.ts';
import { MAX_WORD_UNITS, type WordSink, WordSplitter } from './word-splitter.ts';

const MAX_NAME_SIZE = 255;

/** Collects the words of rows, each once per row, with the fields that contain it. */
export class WordWriter implements WordSink {
  readonly #splitter = new WordSplitter();
  readonly #words = new TextInterner();
  /** `word << 8 | fields`, row after row. */
  #entries = new Uint32Array(1 << 16);
  #count = 0;
  /** By row: where it begins in `#entries`. */
  readonly #starts: Uint32Array;
  readonly #nameSizes: Uint8Array;
  #row = 0;
  /** By word: the index + 1 of its latest entry, and the number of its entries. */
  #latest = new Uint32Array(1 << 12);
  #counts = new Uint32Array(1 << 12);
  #field: number = FIELDS.name;
  /** The previous word of the same name, to be joined with the next one. */
  readonly #previous = new Uint16Array(MAX_WORD_UNITS * 2);
  #previousLength = 0;

  constructor(rows: number) {
    this.#starts = new Uint32Array(rows + 1);
    this.#nameSizes = new Uint8Array(rows);
  }

  /** Begins the next row. */
  begin(row: number): void {
    this.#row = row;
    this.#starts[row] = this.#count;
  }

  /** Adds the words of one field to the current row; the name comes first. */
  add(text: string, field: number): void {
    this.#field = field;
    this.#previousLength = 0;
    const isName = field === FIELDS.name || field === FIELDS.displayName;
    this.#splitter.split(isName ? spellSigns(text) : spellText(text), this);
  }

  take(units: Uint16Array, length: number, hash: number, isGram: boolean): void {
    const field = this.#field;
    const word = this.#words.intern(units, length, hash);
    if (word >= 0) this.#note(word, field);
    if (field === FIELDS.name || field === FIELDS.displayName) this.#join(units, isGram ? 0 : length);
  }

  /** The postings of all rows, sorted by word and then row. */
  finish(): Pick<SearchIndexData, 'words' | 'postingOffsets' | 'postings' | 'nameSizes'> {
    const order = this.#words.sorted();
    const postingOffsets = new Uint32Array(order.length + 1);
    /** By word: the position of its next posting. */
    const next = this.#counts;
    for (const [at, word] of order.entries()) {
      postingOffsets[at + 1] = postingOffsets[at]! + next[word]!;
      next[word] = postingOffsets[at]!;
    }
    const postings = new Uint32Array(this.#count);
    const starts = this.#starts;
    const rows = this.#nameSizes.length;
    starts[rows] = this.#count;
    for (let row = 0; row < rows; row++) {
      for (let at = starts[row]!; at < starts[row + 1]!; at++) {
        const entry = this.#entries[at]!;
        postings[next[entry >>> 8]!++] = (row << 8) | (entry & 255);
      }
    }
    release(this.#entries, this.#starts, this.#latest, this.#counts);
    return { words: this.#words.tableOf(order), postingOffsets, postings, nameSizes: this.#nameSizes };
  }

  #note(word: number, field: number): void {
    if (word >= this.#latest.length) {
      this.#latest = grow(this.#latest, word + 1);
      this.#counts = grow(this.#counts, word + 1);
    }
    const latest = this.#latest[word]!;
    const isKnown = latest > this.#starts[this.#row]!;
    const entry = isKnown ? this.#entries[latest - 1]! : word << 8;
    if (field === FIELDS.name && (entry & field) === 0) this.#countNameWord();
    if (isKnown) {
      this.#entries[latest - 1] = entry | field;
      return;
    }
    if (this.#count === this.#entries.length) this.#entries = grow(this.#entries, this.#count + 1);
    this.#entries[this.#count++] = entry | field;
    this.#latest[word] = this.#count;
    this.#counts[word]!++;
  }

  #countNameWord(): void {
    const size = this.#nameSizes[this.#row]!;
    if (size < MAX_NAME_SIZE) this.#nameSizes[this.#row] = size + 1;
  }

  #join(units: Uint16Array, length: number): void {
    const before = this.#previousLength;
    const joined = this.#previous;
    for (let at = 0; at < length; at++) joined[before + at] = units[at]!;
    if (before > 0 && length > 0 && before + length <= MAX_WORD_UNITS) {
      let hash = HASH_SEED;
      for (let at = 0; at < before + length; at++) hash = hashUnit(hash, joined[at]!);
      const word = this.#words.intern(joined, before + length, hash);
      if (word >= 0) this.#note(word, FIELDS.joined);
    }
    joined.copyWithin(0, before, before + length);
    this.#previousLength = length;
  }
}
