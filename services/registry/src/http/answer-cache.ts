import type { Coding } from './encoding.ts';
import type { Variant } from './representation.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_KEY_LENGTH = 512;

/** An encoded answer with its headers' values. */
export interface CachedAnswer extends Variant {
  coding: Coding;
  total: number;
}

/**
 * Encoded answers of one snapshot, the least recently used dropped first: the pages that everyone asks for are filtered and compressed
 * once. It holds 8 MiB and 1,000 answers at most. Requests that come while an answer is made share it.
 */
export class AnswerCache {
  readonly #answers = new Map<string, { answer: Promise<CachedAnswer>; bytes: number }>();
  #bytes = 0;

  get(key: string, make: () => Promise<CachedAnswer>): Promise<CachedAnswer> {
    if (key.length > MAX_KEY_LENGTH) return make();
    const known = this.#answers.get(key);
    if (known) {
      this.#answers.delete(key);
      this.#answers.set(key, known);
      return known.answer;
    }
    const entry = { answer: make(), bytes: 0 };
    this.#answers.set(key, entry);
    entry.answer.then(
      ({ body }) => this.#grow(key, entry, body.length),
      () => this.#answers.get(key) === entry && this.#answers.delete(key),
    );
    return entry.answer;
  }

  #grow(key: string, entry: { bytes: number }, bytes: number): void {
    if (this.#answers.get(key) !== entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#answers) {
      if (this.#bytes <= MAX_BYTES && this.#answers.size <= MAX_ENTRIES) return;
      this.#answers.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
