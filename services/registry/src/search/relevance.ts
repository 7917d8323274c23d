import { IN_NAME } from './fields.ts';
import { foldName } from './fold.ts';
import type { SearchIndexData } from './index-data.ts';
import type { Matcher } from './matcher.ts';
import { selectPage } from './quickselect.ts';
import { prefixRange } from './text-table.ts';

/** More than there are rows, so that a score and a place by popularity go into one number. */
const RANK_SPAN = 2 ** 24;
/** More than sixteen words can gain together, 47 each. */
const TIER_SPAN = 1_024;
/** Flags above the gains of a row. */
const IS_EXACT = 1 << 26;
const BEGINS = 1 << 25;

/** Of a name against the whole query; each is better than all gains below it. */
const TIERS = { exactName: 4, nameBegins: 3, wholeName: 2, inName: 1, elsewhere: 0 } as const;

/**
 * Puts matches in the order of relevance: the exact name or display name; names that begin with the query; names that
 * have as many words as the query, all found; names that have all words; the rest. Within these by the gains of the
 * words, then by popularity, then by row.
 */
export class Relevance {
  readonly #data: SearchIndexData;
  readonly #keys: Float64Array;

  constructor(data: SearchIndexData) {
    this.#data = data;
    this.#keys = new Float64Array(data.count);
  }

  /** A page of the first `count` rows of the matcher, which has matched `words` words of `query`. */
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
