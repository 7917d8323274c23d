import type { SearchIndexData } from '../index/index-data.ts';
import { firstWhere } from '../index/text-table.ts';
import { IN_NAME } from './gains.ts';
import type { Fit, Term } from './terms.ts';

const MAX_GENERATION = 2 ** 32 - 64;
/** Binary searches for a row cost as much as reading this many postings. */
const PROBE_COST = 24;

/** Finds the rows that match the words of a query. Its arrays have one number per skill and are reused. */
export class Matcher {
  /** After `match`: the matching rows come first, in no order. */
  readonly rows: Uint32Array;
  /** After `match`: the sum of the gains of the words times their weights, by matching row. */
  readonly scores: Uint32Array;
  readonly #data: SearchIndexData;
  /** By row: generation of the last matching word. Each word of a query is a generation. */
  readonly #marks: Uint32Array;
  /** By row: score of the latest word, and the number of words. */
  readonly #latest: Uint32Array;
  readonly #hits: Uint8Array;
  readonly #maxGeneration: number;
  #generation = 0;

  /** After `maxGeneration` words all marks are cleared, as a mark has 32 bits. */
  constructor(data: SearchIndexData, maxGeneration = MAX_GENERATION) {
    this.#data = data;
    this.#maxGeneration = maxGeneration;
    this.rows = new Uint32Array(data.count);
    this.scores = new Uint32Array(data.count);
    this.#marks = new Uint32Array(data.count);
    this.#latest = new Uint32Array(data.count);
    this.#hits = new Uint8Array(data.count);
  }

  /** Returns the number of rows that match at least `least` of the terms; of the first `among` of `rows`, if given. */
  match(terms: readonly Term[], least: number, among?: number): number {
    const ordered = terms.toSorted((a, b) => a.size - b.size);
    const start = this.#startQuery();
    let count = among ?? 0;
    if (among !== undefined) this.#mark(among);
    const isWhole = least === ordered.length;
    for (const [at, { fits, weight }] of ordered.entries()) {
      const now = ++this.#generation;
      // Without misses, only rows with all words before go on.
      const oldest = isWhole ? now - 1 : start;
      const mayBegin = among === undefined && at <= ordered.length - least;
      if (count === 0 && !mayBegin) return 0;
      for (const fit of fits) {
        const isLong = fit.isSorted && count * PROBE_COST < fit.to - fit.from;
        if (isLong && !mayBegin) this.#probe(fit, weight, count);
        else count = this.#scan(fit, weight, oldest, count, mayBegin);
      }
      if (isWhole && !mayBegin) count = this.#keep(count, (row) => this.#marks[row] === now);
    }
    return isWhole ? count : this.#keep(count, (row) => (this.#hits[row] as number) >= least);
  }

  /** Makes the first `count` of `rows` the matches. */
  take(count: number): number {
    this.#startQuery();
    this.#mark(count);
    return count;
  }

  isMatch(row: number): boolean {
    return this.#marks[row] === this.#generation;
  }

  /** Reads the postings of a fit; returns the number of candidates. */
  #scan({ from, to, gains }: Fit, weight: number, oldest: number, candidates: number, mayBegin: boolean): number {
    const { postings } = this.#data;
    const marks = this.#marks;
    const { rows, scores } = this;
    const now = this.#generation;
    let count = candidates;
    for (let at = from; at < to; at++) {
      const posting = postings[at] as number;
      const row = posting >>> 8;
      const gain = gains[posting & 255] as number;
      if ((marks[row] as number) >= oldest) this.#add(row, gain, weight, now);
      else if (mayBegin && gain > 0) {
        rows[count++] = row;
        scores[row] = 0;
        this.#hits[row] = 0;
        this.#add(row, gain, weight, now);
      }
    }
    return count;
  }

  /** Counts the best match of each word. */
  #add(row: number, gain: number, weight: number, now: number): void {
    const score = (gain & (IN_NAME - 1)) * weight + (gain & IN_NAME);
    const before = this.#marks[row] === now ? (this.#latest[row] as number) : 0;
    if (score <= before) return;
    if (before === 0) this.#hits[row] = (this.#hits[row] as number) + 1;
    this.#marks[row] = now;
    this.#latest[row] = score;
    this.scores[row] = (this.scores[row] as number) + score - before;
  }

  /** The same for a fit with many more postings than there are matches. */
  #probe({ from, to, gains }: Fit, weight: number, count: number): void {
    const { postings } = this.#data;
    const now = this.#generation;
    for (let match = 0; match < count; match++) {
      const row = this.rows[match] as number;
      const at = firstWhere(from, to, (index) => (postings[index] as number) >>> 8 >= row);
      const posting = at < to ? (postings[at] as number) : 0;
      if (at < to && posting >>> 8 === row) this.#add(row, gains[posting & 255] as number, weight, now);
    }
  }

  #keep(count: number, isKept: (row: number) => boolean): number {
    const { rows } = this;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (isKept(row)) rows[kept++] = row;
    }
    return kept;
  }

  /** Makes the first `count` of `rows` candidates without a score. */
  #mark(count: number): void {
    for (let at = 0; at < count; at++) {
      const row = this.rows[at] as number;
      this.#marks[row] = this.#generation;
      this.scores[row] = 0;
      this.#hits[row] = 0;
    }
  }

  /** Returns the generation that a row needs at least to be a candidate of this query. */
  #startQuery(): number {
    if (this.#generation >= this.#maxGeneration) {
      this.#marks.fill(0);
      this.#generation = 0;
    }
    return ++this.#generation;
  }
}
