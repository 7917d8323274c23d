import { wordsOneEditAway } from './edit-distance.ts';
import { GAINS } from './fields.ts';
import type { SearchIndexData } from './index-data.ts';
import type { QueryWord } from './query-words.ts';
import { prefixRange } from './text-table.ts';

/** Postings that all fit a word of a query in the same way. */
interface Fit {
  from: number;
  to: number;
  gains: Uint32Array;
}

const MAX_GENERATION = 2 ** 32 - 64;

/** Finds the rows that have all words of a query. Its arrays, one number a skill, are used again by each query. */
export class Matcher {
  /** After `match`: the rows that matched, in no order, in the first places. */
  readonly rows: Uint32Array;
  /** After `match`, by row that matched: the sum of the gains of the words. */
  readonly gains: Uint32Array;
  readonly #data: SearchIndexData;
  /** By row: the generation of the last word that it fits, of a query whose words before it fits too. */
  readonly #marks: Uint32Array;
  /** By row: what the latest word gained, of all but the first. */
  readonly #latestGains: Uint32Array;
  readonly #maxGeneration: number;
  #generation = 0;

  /** `maxGeneration`: after so many words of queries all marks are wiped, as a mark has 32 bits. */
  constructor(data: SearchIndexData, maxGeneration = MAX_GENERATION) {
    this.#data = data;
    this.#maxGeneration = maxGeneration;
    this.rows = new Uint32Array(data.count);
    this.gains = new Uint32Array(data.count);
    this.#marks = new Uint32Array(data.count);
    this.#latestGains = new Uint32Array(data.count);
  }

  /**
   * How many rows have all of the words. A word that fits nothing may be a typo; when all words together are found
   * nowhere, each of them may be.
   */
  match(words: readonly QueryWord[]): number {
    const fits = words.map((word) => this.#fitsOf(word));
    const strict = fits.map((found, at) => (found.length > 0 ? found : this.#typosOf(words[at] as QueryWord)));
    const count = this.#matchAll(strict);
    if (count > 0 || words.every(({ forgivesTypo }) => !forgivesTypo)) return count;
    return this.#matchAll(fits.map((found, at) => [...found, ...this.#typosOf(words[at] as QueryWord)]));
  }

  /** Takes these rows, each once, for the matches. */
  take(rows: Uint32Array): number {
    this.rows.set(rows);
    for (const row of rows) this.gains[row] = 0;
    this.replaceMatches(rows.length);
    return rows.length;
  }

  /** Whether the last query was matched by this row. */
  isMatch(row: number): boolean {
    return this.#marks[row] === this.#generation;
  }

  /** Forgets the last query, and takes the first `count` of `rows` for its matches. */
  replaceMatches(count: number): void {
    this.#startAgainWhenFull();
    const now = ++this.#generation;
    for (let at = 0; at < count; at++) this.#marks[this.rows[at] as number] = now;
  }

  #fitsOf({ text, fitsPrefixes }: QueryWord): Fit[] {
    const { from, to, isExact } = prefixRange(this.#data.words, text);
    const fits: Fit[] = [];
    if (isExact) fits.push(this.#fit(from, from + 1, GAINS.exact));
    const first = isExact ? from + 1 : from;
    if (fitsPrefixes && first < to) fits.push(this.#fit(first, to, GAINS.prefix));
    return fits;
  }

  #typosOf({ text, forgivesTypo }: QueryWord): Fit[] {
    if (!forgivesTypo) return [];
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

  /** Makes room for the generations of one query. */
  #startAgainWhenFull(): void {
    if (this.#generation < this.#maxGeneration) return;
    this.#marks.fill(0);
    this.#generation = 0;
  }
}

function sizeOf(fits: Fit[]): number {
  return fits.reduce((size, { from, to }) => size + to - from, 0);
}
