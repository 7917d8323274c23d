import { IN_NAME } from '../index/fields.ts';
import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import type { Matcher } from './matcher.ts';
import { selectPage } from './quickselect.ts';

/** More than there are rows, so that one number holds a score and a rank. */
const RANK_SPAN = 2 ** 24;
/** More than the gain of sixteen words, 47 each. */
const TIER_SPAN = 1_024;
/** Flags above the gains of a row. */
const IS_EXACT = 1 << 26;
const BEGINS = 1 << 25;

/** How a name matches the whole query. A better tier outweighs all gains. */
const TIERS = { exactName: 4, nameBegins: 3, wholeName: 2, inName: 1, elsewhere: 0 } as const;

/** Sorts matches by tier, then by the gains of the words, popularity and row. The README describes the tiers. */
export class Relevance {
  readonly #data: SearchIndexData;
  readonly #keys: Float64Array;

  constructor(data: SearchIndexData) {
    this.#data = data;
    this.#keys = new Float64Array(data.count);
  }

  /** Returns a page of the first `count` rows of the matcher. `words` is the number of words of `query`. */
  page(matcher: Matcher, count: number, query: string, words: number, isAscending: boolean, from: number, to: number) {
    this.#markNames(matcher, foldName(query));
    const { rows: byPopularity, ranks } = this.#data.popularity;
    for (let at = 0; at < count; at++) {
      const row = matcher.rows[at] as number;
      const key = (TIER_SPAN * 5 - this.#scoreOf(row, matcher.gains[row] as number, words)) * RANK_SPAN;
      this.#keys[at] = isAscending ? -key - (ranks[row] as number) : key + (ranks[row] as number);
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
      matcher.gains[row] = (matcher.gains[row] as number) | (at < exactEnd ? IS_EXACT : BEGINS);
    }
  }

  #scoreOf(row: number, gains: number, words: number): number {
    return this.#tierOf(row, gains, words) * TIER_SPAN + (gains & (IN_NAME - 1));
  }

  #tierOf(row: number, gains: number, words: number): number {
    if ((gains & IS_EXACT) !== 0) return TIERS.exactName;
    if ((gains & BEGINS) !== 0) return TIERS.nameBegins;
    if ((gains & (BEGINS - 1)) >>> 16 < words) return TIERS.elsewhere;
    return this.#data.nameSizes[row] === words ? TIERS.wholeName : TIERS.inName;
  }
}
