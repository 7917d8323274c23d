import { FIELDS } from '../fields.ts';
import { HASH_SEED, hashUnit } from '../fnv-1a.ts';
import type { SearchIndexData } from '../index-data.ts';
import { grow, TextInterner } from '../text-interner.ts';
import { spellSigns, spellText } from './technical-names.ts';
import { MAX_WORD_UNITS, type WordSink, WordSplitter } from './word-splitter.ts';

const MAX_NAME_SIZE = 255;

/** The words of documents, each once per document, with the fields that contain it. */
export class DocumentWords implements WordSink {
  readonly #splitter = new WordSplitter();
  readonly #words = new TextInterner();
  /** `word << 8 | fields`, document after document. */
  #entries = new Uint32Array(1 << 16);
  #entryCount = 0;
  /** Where each document begins in `#entries`. */
  #starts = new Uint32Array(1 << 10);
  #documents = 0;
  /** By word: the index + 1 of its latest entry. */
  #latest = new Uint32Array(1 << 12);
  #field: number = FIELDS.name;
  /** The previous word of the same name, to be joined with the next one. */
  readonly #previous = new Uint16Array(MAX_WORD_UNITS * 2);
  #previousLength = 0;
  #nameSizes = new Uint8Array(1 << 10);

  get wordCount(): number {
    return this.#words.count;
  }

  /** Begins the next document. */
  begin(): void {
    if (this.#documents + 1 >= this.#starts.length) this.#starts = grow(this.#starts, this.#documents + 2);
    if (this.#documents >= this.#nameSizes.length) this.#nameSizes = grow(this.#nameSizes, this.#documents + 1);
    this.#starts[this.#documents++] = this.#entryCount;
  }

  /** Adds the words of one field to the current document; the name comes first. */
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

  /** The postings of the documents, sorted by word and then row. `documents` are by row. */
  finish(documents: Uint32Array): Pick<SearchIndexData, 'words' | 'postingOffsets' | 'postings' | 'nameSizes'> {
    const counts = this.#countSkills(documents);
    const numbers = this.#words.sorted(counts);
    const postingOffsets = new Uint32Array(numbers.length + 1);
    // From here on `counts` holds the position of the next posting of a word.
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number;
      const from = postingOffsets[at] as number;
      postingOffsets[at + 1] = from + (counts[number] as number);
      counts[number] = from;
    }
    const postings = this.#post(documents, counts, postingOffsets[numbers.length] as number);
    const nameSizes = Uint8Array.from(documents, (document) => this.#nameSizes[document] as number);
    return { words: this.#words.tableOf(numbers), postingOffsets, postings, nameSizes };
  }

  #note(word: number, field: number): void {
    if (word >= this.#latest.length) this.#latest = grow(this.#latest, word + 1);
    const latest = this.#latest[word] as number;
    const isKnown = latest > (this.#starts[this.#documents - 1] as number);
    const entry = isKnown ? (this.#entries[latest - 1] as number) : word << 8;
    if (field === FIELDS.name && (entry & field) === 0) this.#countNameWord();
    if (isKnown) {
      this.#entries[latest - 1] = entry | field;
      return;
    }
    if (this.#entryCount === this.#entries.length) this.#entries = grow(this.#entries, this.#entryCount + 1);
    this.#entries[this.#entryCount++] = entry | field;
    this.#latest[word] = this.#entryCount;
  }

  #countNameWord(): void {
    const size = this.#nameSizes[this.#documents - 1] as number;
    if (size < MAX_NAME_SIZE) this.#nameSizes[this.#documents - 1] = size + 1;
  }

  #join(units: Uint16Array, length: number): void {
    const before = this.#previousLength;
    const joined = this.#previous;
    for (let at = 0; at < length; at++) joined[before + at] = units[at] as number;
    if (before > 0 && length > 0 && before + length <= MAX_WORD_UNITS) {
      let hash = HASH_SEED;
      for (let at = 0; at < before + length; at++) hash = hashUnit(hash, joined[at] as number);
      const word = this.#words.intern(joined, before + length, hash);
      if (word >= 0) this.#note(word, FIELDS.joined);
    }
    joined.copyWithin(0, before, before + length);
    this.#previousLength = length;
  }

  #countSkills(documents: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.#words.count);
    this.#starts[this.#documents] = this.#entryCount;
    for (let row = 0; row < documents.length; row++) {
      const document = documents[row] as number;
      const to = this.#starts[document + 1] as number;
      for (let at = this.#starts[document] as number; at < to; at++) {
        const word = (this.#entries[at] as number) >>> 8;
        counts[word] = (counts[word] as number) + 1;
      }
    }
    return counts;
  }

  #post(documents: Uint32Array, next: Uint32Array, size: number): Uint32Array {
    const postings = new Uint32Array(size);
    for (let row = 0; row < documents.length; row++) {
      const document = documents[row] as number;
      const to = this.#starts[document + 1] as number;
      for (let at = this.#starts[document] as number; at < to; at++) {
        const entry = this.#entries[at] as number;
        const posting = next[entry >>> 8] as number;
        next[entry >>> 8] = posting + 1;
        postings[posting] = (row << 8) | (entry & 255);
      }
    }
    return postings;
  }
}
