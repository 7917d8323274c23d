import { LRUCache } from 'lru-cache';
import type { SearchIndexData } from '../index/index-data.ts';
import { firstWhere } from '../index/text-table.ts';
import { IN_NAME, IS_WHOLE, POINTS } from './gains.ts';
import type { Term } from './terms.ts';

/** A binary search for a row costs as much as reading this many postings. */
const PROBE_COST = 16;
/** The gains of a frequent term, one byte per skill, are kept: it has a posting for every sixteenth skill. */
const FREQUENT = 1 / 16;
const MAX_FREQUENT = 64;

/** How `scores` counts words in names and whole words, above the sum of points times weights. */
export const NAME_BITS = 20;
export const WHOLE_BITS = 25;

/** Finds the rows that match the words of a query. Its arrays have one number per skill and are reused. */
export class Matcher {
  /** After `match`: the matching rows come first, in no order, and `scores` has the same order. */
  readonly rows: Uint32Array;
  readonly scores: Uint32Array;
  readonly #data: SearchIndexData;
  /** By candidate: the weight of its words, and the gain of the latest one. */
  readonly #found: Uint16Array;
  readonly #latest: Uint8Array;
  /** By row; all 0 between two uses. */
  readonly #scratch: Uint8Array;
  readonly #frequent = new LRUCache<Term, Uint8Array>({ max: MAX_FREQUENT });

  constructor(data: SearchIndexData) {
    this.#data = data;
    this.rows = new Uint32Array(data.count);
    this.scores = new Uint32Array(data.count);
    this.#found = new Uint16Array(data.count);
    this.#latest = new Uint8Array(data.count);
    this.#scratch = new Uint8Array(data.count);
  }

  /**
   * Returns the number of rows whose words have this share of the weight of all terms; 1 means all words. If `among` is
   * given, only of its first rows.
   */
  match(terms: readonly Term[], share: number, among?: number): number {
    const rarestFirst = terms.toSorted((a, b) => a.size - b.size);
    const all = terms.reduce((sum, { weight }) => sum + weight, 0);
    const least = all * share;
    let left = all;
    // A row that lacks all terms up to this one cannot match.
    let needed = 0;
    while (left >= least && needed < terms.length) left -= (rarestFirst[needed++] as Term).weight;
    let count = among ?? this.#collect(rarestFirst.slice(0, needed));
    this.scores.fill(0, 0, count);
    this.#found.fill(0, 0, count);
    left = all;
    for (const [at, term] of rarestFirst.entries()) {
      if (count === 0) return 0;
      // `#collect` has left the gains of a single term.
      if (at > 0 || among !== undefined || needed > 1) this.#gather(term, count);
      left -= term.weight;
      count = this.#add(term.weight, count, least - left);
    }
    if (share < 1) this.#scale(count, all);
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
    this.scores.fill(0, 0, count);
    return count;
  }

  /** Of the first `count` rows, keeps those that pass. */
  keep(count: number, passes: (row: number) => boolean): number {
    const { rows, scores } = this;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (!passes(row)) continue;
      rows[kept] = row;
      scores[kept++] = scores[at] as number;
    }
    return kept;
  }

  /** The rows of these terms, each once, and the best gain of each; returns their number. */
  #collect(terms: readonly Term[]): number {
    const { postings } = this.#data;
    const { rows } = this;
    const best = this.#scratch;
    let count = 0;
    for (const { fits } of terms) {
      for (const { from, to, gains } of fits) {
        for (let at = from; at < to; at++) {
          const posting = postings[at] as number;
          const row = posting >>> 8;
          const gain = gains[posting & 255] as number;
          const before = best[row] as number;
          if (before === 0 && gain !== 0) rows[count++] = row;
          if ((before & POINTS) < (gain & POINTS)) best[row] = gain;
        }
      }
    }
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      this.#latest[at] = best[row] as number;
      best[row] = 0;
    }
    return count;
  }

  /** Writes the gains of a term to `#latest`, by candidate. */
  #gather(term: Term, count: number): void {
    const { rows } = this;
    const latest = this.#latest;
    const isFrequent = term.size > this.#data.count * FREQUENT;
    if (count * PROBE_COST < term.size && !isFrequent && term.isSorted) return this.#probe(term, count);
    const gains = isFrequent ? this.#frequentGains(term) : this.#scratch;
    if (!isFrequent) this.#spread(term, gains);
    for (let at = 0; at < count; at++) latest[at] = gains[rows[at] as number] as number;
    if (!isFrequent) this.#clear(term, gains);
  }

  /** The same for a term with many more postings than there are candidates. */
  #probe({ fits }: Term, count: number): void {
    const { postings } = this.#data;
    for (let candidate = 0; candidate < count; candidate++) {
      const row = this.rows[candidate] as number;
      let best = 0;
      for (const { from, to, gains } of fits) {
        const at = firstWhere(from, to, (index) => (postings[index] as number) >>> 8 >= row);
        const posting = at < to ? (postings[at] as number) : 0;
        if (at < to && posting >>> 8 === row) best = betterOf(best, gains[posting & 255] as number);
      }
      this.#latest[candidate] = best;
    }
  }

  #frequentGains(term: Term): Uint8Array {
    const known = this.#frequent.get(term);
    if (known !== undefined) return known;
    const gains = new Uint8Array(this.#data.count);
    this.#spread(term, gains);
    this.#frequent.set(term, gains);
    return gains;
  }

  #spread({ fits }: Term, byRow: Uint8Array): void {
    const { postings } = this.#data;
    for (const { from, to, gains } of fits) {
      for (let at = from; at < to; at++) {
        const posting = postings[at] as number;
        const row = posting >>> 8;
        byRow[row] = betterOf(byRow[row] as number, gains[posting & 255] as number);
      }
    }
  }

  #clear({ fits }: Term, byRow: Uint8Array): void {
    const { postings } = this.#data;
    for (const { from, to } of fits) for (let at = from; at < to; at++) byRow[(postings[at] as number) >>> 8] = 0;
  }

  /** Adds the latest gains to the scores, and keeps the candidates that found words of at least this weight. */
  #add(weight: number, count: number, least: number): number {
    const { rows, scores } = this;
    const latest = this.#latest;
    const found = this.#found;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const gain = latest[at] as number;
      const foundWeight = (found[at] as number) + (gain === 0 ? 0 : weight);
      if (foundWeight < least) continue;
      const flags = ((gain & IN_NAME) << (NAME_BITS - 6)) + ((gain & IS_WHOLE) << (WHOLE_BITS - 7));
      rows[kept] = rows[at] as number;
      found[kept] = foundWeight;
      scores[kept++] = (scores[at] as number) + (gain & POINTS) * weight + flags;
    }
    return kept;
  }

  /** Multiplies the scores by the share of the weight that was found, so that more words go before better ones. */
  #scale(count: number, all: number): void {
    const { scores } = this;
    for (let at = 0; at < count; at++) {
      const points = (scores[at] as number) & ((1 << NAME_BITS) - 1);
      const share = (this.#found[at] as number) / all;
      scores[at] = (scores[at] as number) - points + Math.round(points * share);
    }
  }
}

/** Of two gains, the one with more points. */
function betterOf(a: number, b: number): number {
  return (a & POINTS) < (b & POINTS) ? b : a;
}
