import { GAINS } from '../index/fields.ts';
import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { wordsOneEditAway } from './edit-distance.ts';
import type { QueryWord } from './query-words.ts';

/** Postings that match a word of a query in the same way. */
interface Fit {
  from: number;
  to: number;
  gains: Uint32Array;
}

const MAX_GENERATION = 2 ** 32 - 64;

/** Finds the rows that match all words of a query. Its arrays have one number per skill and are reused. */
export class Matcher {
  /** After `match`: the matching rows come first, in no order. */
  readonly rows: Uint32Array;
  /** After `match`: the sum of the gains of the words, by matching row. */
  readonly gains: Uint32Array;
  readonly #data: SearchIndexData;
  /** By row: generation of the last matching word. Each word is a generation; a row has to match all words before. */
  readonly #marks: Uint32Array;
  /** By row: gain of the latest word after the first. */
  readonly #latestGains: Uint32Array;
  readonly #maxGeneration: number;
  #generation = 0;

  /** After `maxGeneration` words all marks are cleared, as a mark has 32 bits. */
  constructor(data: SearchIndexData, maxGeneration = MAX_GENERATION) {
    this.#data = data;
    this.#maxGeneration = maxGeneration;
    this.rows = new Uint32Array(data.count);
    this.gains = new Uint32Array(data.count);
    this.#marks = new Uint32Array(data.count);
    this.#latestGains = new Uint32Array(data.count);
  }

  /**
   * Returns the number of rows that match all words. A word that matches nothing may have a typo; if no row matches all
   * words, each of them may.
   */
  match(words: readonly QueryWord[]): number {
    const fits = words.map((word) => this.#fitsOf(word));
    const strict = fits.map((found, at) => (found.length > 0 ? found : this.#typosOf(words[at] as QueryWord)));
    const count = this.#matchAll(strict);
    if (count > 0 || words.every(({ allowsTypo }) => !allowsTypo)) return count;
    return this.#matchAll(fits.map((found, at) => [...found, ...this.#typosOf(words[at] as QueryWord)]));
  }

  /** Makes these distinct rows the matches. */
  take(rows: Uint32Array): number {
    this.rows.set(rows);
    for (const row of rows) this.gains[row] = 0;
    this.replaceMatches(rows.length);
    return rows.length;
  }

  isMatch(row: number): boolean {
    return this.#marks[row] === this.#generation;
  }

  /** Makes the first `count` of `rows` the matches. */
  replaceMatches(count: number): void {
    this.#startAgainWhenFull();
    const now = ++this.#generation;
    for (let at = 0; at < count; at++) this.#marks[this.rows[at] as number] = now;
  }

  #fitsOf({ text, matchesPrefixes }: QueryWord): Fit[] {
    const { from, to, isExact } = prefixRange(this.#data.words, text);
    const fits: Fit[] = [];
    if (isExact) fits.push(this.#fit(from, from + 1, GAINS.exact));
    const longer = this.#fit(isExact ? from + 1 : from, to, GAINS.prefix);
    if (matchesPrefixes && this.#isFound(longer)) fits.push(longer);
    return fits;
  }

  /** False for the beginning of words that are only in names as two written as one, which match only as a whole. */
  #isFound({ from, to, gains }: Fit): boolean {
    const { postings } = this.#data;
    for (let at = from; at < to; at++) if ((gains[(postings[at] as number) & 255] as number) > 0) return true;
    return false;
  }

  #typosOf({ text, allowsTypo }: QueryWord): Fit[] {
    if (!allowsTypo) return [];
    return wordsOneEditAway(this.#data.words, text).map((word) => this.#fit(word, word + 1, GAINS.typo));
  }

  #fit(firstWord: number, endWord: number, gains: Uint32Array): Fit {
    const { postingOffsets } = this.#data;
    return { from: postingOffsets[firstWord] as number, to: postingOffsets[endWord] as number, gains };
  }

  #matchAll(words: Fit[][]): number {
    this.#startAgainWhenFull();
    const [rarest, ...others] = words.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    if (rarest === undefined || rarest.length === 0) return 0;
    let now = ++this.#generation;
    let candidates = 0;
    for (const fit of rarest) candidates = this.#begin(fit, now, candidates);
    let count = candidates;
    for (const fits of others) {
      if (count === 0) return 0;
      now = ++this.#generation;
      count = 0;
      for (const fit of fits) count += this.#narrow(fit, now);
    }
    return others.length === 0 ? candidates : this.#keepMatches(candidates);
  }

  #begin({ from, to, gains }: Fit, now: number, candidates: number): number {
    const { postings } = this.#data;
    const marks = this.#marks;
    const sums = this.gains;
    const { rows } = this;
    let count = candidates;
    for (let at = from; at < to; at++) {
      const posting = postings[at] as number;
      const gain = gains[posting & 255] as number;
      const row = posting >>> 8;
      if (marks[row] === now) {
        if (gain > (sums[row] as number)) sums[row] = gain;
      } else if (gain > 0) {
        marks[row] = now;
        rows[count++] = row;
        sums[row] = gain;
      }
    }
    return count;
  }

  #narrow({ from, to, gains }: Fit, now: number): number {
    const { postings } = this.#data;
    const marks = this.#marks;
    const sums = this.gains;
    const latest = this.#latestGains;
    let count = 0;
    for (let at = from; at < to; at++) {
      const posting = postings[at] as number;
      const row = posting >>> 8;
      const mark = marks[row] as number;
      if (mark < now - 1) continue;
      const gain = gains[posting & 255] as number;
      if (mark === now) {
        if (gain <= (latest[row] as number)) continue;
        sums[row] = (sums[row] as number) + gain - (latest[row] as number);
        latest[row] = gain;
      } else if (gain > 0) {
        marks[row] = now;
        sums[row] = (sums[row] as number) + gain;
        latest[row] = gain;
        count++;
      }
    }
    return count;
  }

  #keepMatches(candidates: number): number {
    let count = 0;
    for (let at = 0; at < candidates; at++) {
      const row = this.rows[at] as number;
      if (this.isMatch(row)) this.rows[count++] = row;
    }
    return count;
  }

  #startAgainWhenFull(): void {
    if (this.#generation < this.#maxGeneration) return;
    this.#marks.fill(0);
    this.#generation = 0;
  }
}

function sizeOf(fits: Fit[]): number {
  return fits.reduce((size, { from, to }) => size + to - from, 0);
}
