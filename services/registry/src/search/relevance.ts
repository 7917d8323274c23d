import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import { IN_NAME } from './gains.ts';
import type { Matcher } from './matcher.ts';
import { selectPage } from './quickselect.ts';
import type { Term } from './terms.ts';

/** More than there are rows, so that one number holds a score and a rank. */
const RANK_SPAN = 2 ** 24;
/** More than any score: sixteen words of at most 255 points and weight 400, and the bonuses. */
const SCORE_SPAN = 2 ** 22;
/** Flags above the scores of a row. */
const IS_EXACT = 1 << 27;
const BEGINS = 1 << 26;

/** In points of an average word of the query. */
const BONUS = { begins: 40, wholeName: 60, allInName: 20, star: 14, mostStars: 70, cover: 40 } as const;

/** Sorts matches by exact name, then score, popularity and row. The README describes the score. */
export class Relevance {
  readonly #data: SearchIndexData;
  readonly #keys: Float64Array;
  /** By rank in `popularity`. */
  #fame: Uint8Array | undefined;

  constructor(data: SearchIndexData) {
    this.#data = data;
    this.#keys = new Float64Array(data.count);
  }

  /** Returns a page of the first `count` rows of the matcher. */
  page(matcher: Matcher, count: number, query: string, terms: readonly Term[], isAscending: boolean, from: number, to: number) {
    this.#markNames(matcher, foldName(query));
    this.#fame ??= this.#measureFame();
    const { rows: byPopularity, ranks } = this.#data.popularity;
    const average = Math.round(terms.reduce((sum, { weight }) => sum + weight, 0) / terms.length) || 0;
    for (let at = 0; at < count; at++) {
      const row = matcher.rows[at] as number;
      const rank = ranks[row] as number;
      const score = this.#scoreOf(row, matcher.scores[row] as number, terms.length, average, this.#fame[rank] as number);
      const key = (SCORE_SPAN * 2 - score) * RANK_SPAN;
      this.#keys[at] = isAscending ? -key - rank : key + rank;
    }
    const page = selectPage(this.#keys, count, from, to);
    return Uint32Array.from(page, (key) => byPopularity[Math.abs(key) % RANK_SPAN] as number);
  }

  #markNames(matcher: Matcher, name: string): void {
    if (name === '') return;
    const { names, nameOffsets, nameRows } = this.#data;
    const { from, to, isExact } = prefixRange(names, name);
    const start = nameOffsets[from] as number;
    const exactEnd = isExact ? (nameOffsets[from + 1] as number) : start;
    const end = nameOffsets[to] as number;
    for (let at = start; at < end; at++) {
      const row = nameRows[at] as number;
      if (!matcher.isMatch(row)) continue;
      matcher.scores[row] = (matcher.scores[row] as number) | (at < exactEnd ? IS_EXACT : BEGINS);
    }
  }

  #scoreOf(row: number, marked: number, words: number, average: number, fame: number): number {
    const inName = (marked & (BEGINS - 1)) >>> 20;
    const size = this.#data.nameSizes[row] as number;
    let bonus = fame + (BONUS.cover * Math.min(inName, size)) / Math.max(size, 1);
    if ((marked & BEGINS) !== 0) bonus += BONUS.begins;
    if (inName >= words) bonus += size === words ? BONUS.wholeName : BONUS.allInName;
    const score = (marked & (IN_NAME - 1)) + Math.round(bonus * average);
    return (marked & IS_EXACT) === 0 ? score : SCORE_SPAN + score;
  }

  /** Grows with the logarithm of stars or downloads, up to a maximum. */
  #measureFame(): Uint8Array {
    const { popularity, stars, downloads } = this.#data;
    return Uint8Array.from(popularity.rows, (row) => {
      const most = Math.max(0, stars.values[row] as number, downloads.values[row] as number);
      return Math.min(BONUS.mostStars, Math.round(BONUS.star * Math.log10(1 + most)));
    });
  }
}
