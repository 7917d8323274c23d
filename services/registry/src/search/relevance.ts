import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import { type Matcher, NAME_BITS, WHOLE_BITS } from './matcher.ts';
import { keepLeast, selectPage } from './quickselect.ts';
import type { Term } from './terms.ts';

/** More than there are rows, so that one number holds a score and a rank. */
const RANK_SPAN = 2 ** 24;
/** More than any score: sixteen words of at most 63 points and weight 400, and the bonuses. */
const SCORE_SPAN = 1 << NAME_BITS;

/** Bonuses, in points of a word of the query. */
const BEGINS = 10;
const ALL_IN_NAME = 5;
/** For each word of a name that has as many words as the query. */
const WHOLE_NAME = 15;
/** For the share of the words of a name that the query has. */
const COVERED_NAME = 15;
/** For each power of ten of stars or downloads above a hundred, up to a maximum. */
const PER_MAGNITUDE = 10;
const MOST_KNOWN = 26;

/** More keys than places are collected before the worst ones are dropped. */
const KEYS_PER_PLACE = 4;

/** How a name compares to the query. */
const NAMES = { begins: 1, equals: 2 } as const;

export interface Ranking {
  text: string;
  terms: readonly Term[];
  isAscending: boolean;
  /** Matches with fewer whole words than this are one tier lower for each that they lack; 0 for no tiers. */
  typoTiers: number;
}

/** Sorts matches by exact name, then score, popularity and row. ADR 23 describes the score. */
export class Relevance {
  readonly #data: SearchIndexData;
  readonly #keys: Float64Array;
  /** By row: one of `NAMES`; all 0 between two queries. */
  readonly #names: Uint8Array;
  /** By row: its rank in the order of popularity, and the bonus for its popularity above it. */
  #popularity: Uint32Array | undefined;

  constructor(data: SearchIndexData, keys: Float64Array) {
    this.#data = data;
    this.#keys = keys;
    this.#names = new Uint8Array(data.count);
  }

  /** Returns positions `from` up to `to` of the first `count` rows of the matcher, the best or the worst first. */
  page(
    { rows, scores }: Matcher,
    count: number,
    { text, terms, isAscending, typoTiers }: Ranking,
    from: number,
    to: number,
  ): Uint32Array {
    this.#popularity ??= toPopularity(this.#data);
    const [keys, names, known] = [this.#keys, this.#names, this.#popularity];
    const weight = terms.reduce((sum, term) => sum + term.weight, 0) / Math.max(terms.length, 1);
    const sign = isAscending ? -1 : 1;
    const named = this.#compareNames(foldName(text));
    // Only keys that may be on the page are kept.
    const room = to * KEYS_PER_PLACE;
    let size = 0;
    let worst = Number.POSITIVE_INFINITY;
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      const popularity = known[row]!;
      const score = scores[at]!;
      const bonus = Math.round(this.#bonusOf(row, score, terms.length, popularity >>> 24) * weight);
      const tier = names[row] === NAMES.equals ? 1 : 2 + Math.max(0, typoTiers - (score >>> WHOLE_BITS));
      const value = (tier * SCORE_SPAN - (score & (SCORE_SPAN - 1)) - bonus) * RANK_SPAN;
      const key = sign * value + (popularity & (RANK_SPAN - 1));
      if (key >= worst) continue;
      keys[size++] = key;
      if (size === room) {
        worst = keepLeast(keys, size, to);
        size = to;
      }
    }
    for (const row of named) names[row] = 0;
    const byPopularity = this.#data.popularity.rows;
    return Uint32Array.from(selectPage(keys, size, from, to), (key) => {
      const rank = key % RANK_SPAN;
      return byPopularity[rank < 0 ? rank + RANK_SPAN : rank]!;
    });
  }

  /** Returns the rows that now have an entry in `#names`. */
  #compareNames(name: string): Uint32Array {
    const { names, nameOffsets, nameRows } = this.#data;
    const { from, to, isExact } = prefixRange(names, name);
    const [start, end] = [nameOffsets[from]!, nameOffsets[name === '' ? from : to]!];
    const exactEnd = isExact ? nameOffsets[from + 1]! : start;
    // A row may have a name that equals the query, and a display name that begins with it.
    for (let at = end - 1; at >= start; at--) {
      this.#names[nameRows[at]!] = at < exactEnd ? NAMES.equals : NAMES.begins;
    }
    return nameRows.subarray(start, end);
  }

  #bonusOf(row: number, score: number, words: number, known: number): number {
    const inName = (score >>> NAME_BITS) & 31;
    const whole = score >>> WHOLE_BITS;
    let bonus = whole >= words ? known : (known * whole) / words;
    if (this.#names[row] === NAMES.begins) bonus += BEGINS;
    if (inName === 0) return bonus;
    const size = this.#data.nameSizes[row]!;
    if (inName >= words) bonus += size === words ? WHOLE_NAME * words : ALL_IN_NAME;
    return bonus + (inName < size ? (COVERED_NAME * inName) / size : COVERED_NAME);
  }
}

function toPopularity({ count, popularity, stars, downloads }: SearchIndexData): Uint32Array {
  const byRow = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    const known = Math.max(stars.values[row]!, downloads.values[row]!);
    const bonus = known > 100 ? Math.min(MOST_KNOWN, Math.round(PER_MAGNITUDE * (Math.log10(known) - 2))) : 0;
    byRow[row] = (bonus << 24) | popularity.ranks[row]!;
  }
  return byRow;
}
