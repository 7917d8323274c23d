import type { Continuation } from './continuation.ts';

/** Compares the records of a source with what its files announce. */
export class Completeness {
  #total = 0;
  #hasMore = false;

  /** In the order of the files. */
  note({ total = 0, next, hasMore = next !== undefined }: Continuation): void {
    this.#total = Math.max(this.#total, total);
    this.#hasMore = hasMore;
  }

  /** Number of records that are missing; at least one if the last file says that there are more. */
  missing(records: number): number {
    return Math.max(this.#total - records, this.#hasMore ? 1 : 0);
  }
}
