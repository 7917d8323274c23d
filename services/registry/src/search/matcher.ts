import { LRUCache } from 'lru-cache';
import type { SearchIndexData } from '../index/index-data.ts';
import { IN_NAME, IS_WHOLE, POINTS } from './gains.ts';
import type { Term } from './terms.ts';

/** Terms in more than this share of the skills are frequent: their gains, one byte per skill, are kept. */
const FREQUENT = 1 / 16;
const MAX_FREQUENT = 64;
/** Keeping the gains of a term pays where the candidates are more than this share of its skills. */
const MIN_CANDIDATES = 1 / 8;

/** A gain without points. */
const IS_CANDIDATE = IN_NAME;

/** How scores count words in names and whole words, above the sum of points times weights. */
export const NAME_BITS = 20;
export const WHOLE_BITS = 25;

/** Finds the rows that match the words of a query. Its arrays have one number per skill and are reused. */
export class Matcher {
  /** The matching rows come first, in no order; `scores` has the same order. */
  readonly rows: Uint32Array;
  readonly scores: Uint32Array;
  readonly #data: SearchIndexData;
  /** By candidate: the weight of the terms that it has. */
  readonly #found: Uint16Array;
  /** By row; all 0 between two uses. */
  readonly #scratch: Uint8Array;
  readonly #frequentSize: number;
  readonly #frequent = new LRUCache<Term, Uint8Array>({
    max: MAX_FREQUENT,
    dispose: (gains) => {
      this.#spare = gains;
    },
  });
  /** The array that the cache dropped last: its next entry reuses it. */
  #spare: Uint8Array | undefined;

  /** `frequent`: the share of the skills above which a term is frequent. */
  constructor(data: SearchIndexData, frequent = FREQUENT) {
    this.#data = data;
    this.#frequentSize = data.count * frequent;
    this.rows = new Uint32Array(data.count);
    this.scores = new Uint32Array(data.count);
    this.#found = new Uint16Array(data.count);
    this.#scratch = new Uint8Array(data.count);
  }

  /** Returns the number of rows that match all terms; of the first `among` rows, if given. */
  match(terms: readonly Term[], among?: number): number {
    const rarestFirst = terms.toSorted((a, b) => a.size - b.size);
    let count = among ?? this.#begin(rarestFirst.shift());
    for (const term of rarestFirst) {
      if (count === 0) return 0;
      const gains = this.#gainsOf(term, count);
      const matches = this.#narrow(gains, term.weight, count);
      this.#clear(gains, count);
      count = matches;
    }
    return count;
  }

  /** Returns the number of rows whose terms have at least this share of the weight of all terms. */
  matchMost(terms: readonly Term[], share: number): number {
    const rarestFirst = terms.toSorted((a, b) => a.size - b.size);
    const all = terms.reduce((sum, { weight }) => sum + weight, 0);
    const least = all * share;
    // A row that has none of the terms before `end` lacks too much.
    let end = 0;
    for (let left = all; left >= least && end < terms.length; end++) left -= (rarestFirst[end] as Term).weight;
    let count = this.#collect(rarestFirst.slice(0, end));
    let left = all;
    for (const term of rarestFirst) {
      left -= term.weight;
      const gains = this.#gainsOf(term, count);
      const matches = this.#add(gains, term.weight, count, least - left);
      this.#clear(gains, count);
      count = matches;
    }
    for (let at = 0; at < count; at++) this.#scale(at, this.#found[at]! / all);
    return count;
  }

  /** Makes these distinct rows the matches; returns their number. */
  take(rows: Uint32Array): number {
    this.rows.set(rows);
    this.scores.fill(0, 0, rows.length);
    return rows.length;
  }

  /** Makes all rows that pass the matches; returns their number. */
  takeAll(passes: (row: number) => boolean): number {
    let count = 0;
    for (let row = 0; row < this.rows.length; row++) if (passes(row)) this.rows[count++] = row;
    return count;
  }

  /** Of the first `count` rows, keeps those that pass. */
  keep(count: number, passes: (row: number) => boolean): number {
    const { rows, scores } = this;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      if (!passes(row)) continue;
      rows[kept] = row;
      scores[kept++] = scores[at]!;
    }
    return kept;
  }

  /** Makes the rows of a term the matches. */
  #begin(term: Term | undefined): number {
    if (term === undefined) return 0;
    const { rows, scores } = this;
    const gains = this.#scratch;
    const count = this.#spread(term, gains, 0);
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      scores[at] = toScore(gains[row]!, term.weight);
      gains[row] = 0;
    }
    return count;
  }

  /** Makes the rows of any of these terms candidates without a score. */
  #collect(terms: readonly Term[]): number {
    const seen = this.#scratch;
    let count = 0;
    for (const term of terms) count = this.#spread(term, seen, count);
    for (let at = 0; at < count; at++) seen[this.rows[at]!] = 0;
    this.scores.fill(0, 0, count);
    this.#found.fill(0, 0, count);
    return count;
  }

  /** Writes the best gain of each row of a term, and appends rows that had none to the first `known` rows. */
  #spread({ fits }: Term, byRow: Uint8Array, known: number): number {
    const { postings } = this.#data;
    const { rows } = this;
    let count = known;
    for (const { from, to, gains } of fits) {
      for (let at = from; at < to; at++) {
        const posting = postings[at]!;
        const row = posting >>> 8;
        const gain = gains[posting & 255]!;
        const before = byRow[row]!;
        if ((before & POINTS) >= (gain & POINTS)) continue;
        if (before === 0) rows[count++] = row;
        byRow[row] = gain;
      }
    }
    return count;
  }

  /** The gains of a term by row, at least for the first `count` of `rows`; without points for rows that lack it. */
  #gainsOf(term: Term, count: number): Uint8Array {
    if (term.size > this.#frequentSize) {
      const isWorthKeeping = count > term.size * MIN_CANDIDATES;
      if (isWorthKeeping || this.#frequent.has(term)) return this.#frequentGains(term);
    }
    for (let at = 0; at < count; at++) this.#scratch[this.rows[at]!] = IS_CANDIDATE;
    this.#scan(term, this.#scratch);
    return this.#scratch;
  }

  /** Makes the gains 0 again. The first `count` of `rows` are those of `#gainsOf`, in any order. */
  #clear(gains: Uint8Array, count: number): void {
    if (gains === this.#scratch) for (let at = 0; at < count; at++) gains[this.rows[at]!] = 0;
  }

  /** Writes the best gain of each row that is a candidate. */
  #scan({ fits }: Term, byRow: Uint8Array): void {
    const { postings } = this.#data;
    for (const { from, to, gains } of fits) {
      for (let at = from; at < to; at++) {
        const posting = postings[at]!;
        const before = byRow[posting >>> 8]!;
        if (before === 0) continue;
        const gain = gains[posting & 255]!;
        if ((before & POINTS) < (gain & POINTS)) byRow[posting >>> 8] = gain;
      }
    }
  }

  #frequentGains(term: Term): Uint8Array {
    const known = this.#frequent.get(term);
    if (known !== undefined) return known;
    const byRow = (this.#spare ?? new Uint8Array(this.#data.count)).fill(IS_CANDIDATE);
    this.#spare = undefined;
    this.#scan(term, byRow);
    this.#frequent.set(term, byRow);
    return byRow;
  }

  /** Of the first `count` rows, moves those with a gain to the front, and adds it to their scores. */
  #narrow(gains: Uint8Array, weight: number, count: number): number {
    const { rows, scores } = this;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      const gain = gains[row]!;
      if ((gain & POINTS) === 0) continue;
      rows[at] = rows[kept]!;
      rows[kept] = row;
      scores[kept++] = scores[at]! + toScore(gain, weight);
    }
    return kept;
  }

  /** The same, but keeps rows without a gain while the terms that they have weigh at least `least`. */
  #add(gains: Uint8Array, weight: number, count: number, least: number): number {
    const { rows, scores } = this;
    const found = this.#found;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      const gain = gains[row]!;
      const hasTerm = (gain & POINTS) !== 0;
      const weightFound = found[at]! + (hasTerm ? weight : 0);
      if (weightFound < least) continue;
      rows[at] = rows[kept]!;
      rows[kept] = row;
      found[kept] = weightFound;
      scores[kept++] = scores[at]! + (hasTerm ? toScore(gain, weight) : 0);
    }
    return kept;
  }

  /** Multiplies the points of a score. */
  #scale(at: number, share: number): void {
    const score = this.scores[at]!;
    const points = score & ((1 << NAME_BITS) - 1);
    this.scores[at] = score - points + Math.round(points * share);
  }
}

function toScore(gain: number, weight: number): number {
  return (gain & POINTS) * weight + ((gain & IN_NAME) << (NAME_BITS - 6)) + ((gain & IS_WHOLE) << (WHOLE_BITS - 7));
}
