import { LRUCache } from 'lru-cache';
import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { wordsOneEditAway } from './edit-distance.ts';
import { type FitKind, GAINS } from './gains.ts';
import type { QueryWord } from './query-words.ts';
import { formsOf } from './word-forms.ts';

/** Postings that match a word of a query in the same way. */
export interface Fit {
  from: number;
  to: number;
  gains: Uint32Array;
  /** Whether they are of one word, so that rows ascend. */
  isSorted: boolean;
}

/** A word of a query in the index. */
export interface Term {
  fits: readonly Fit[];
  /** Number of postings. */
  size: number;
  /** Inverse document frequency (Spärck Jones, 1972): rare words weigh more. From 1 to 400. */
  weight: number;
}

const MAX_KEPT = 1_000;
const WEIGHT_SCALE = 16;

/** Finds the postings of words, and remembers those of the latest words. */
export class Terms {
  readonly #data: SearchIndexData;
  readonly #strict = new LRUCache<string, Term>({ max: MAX_KEPT });
  readonly #lenient = new LRUCache<string, Term>({ max: MAX_KEPT });

  constructor(data: SearchIndexData) {
    this.#data = data;
  }

  /** A word that matches nothing may have a typo. */
  find(word: QueryWord): Term {
    return this.#get(this.#strict, word, () => {
      const fits = this.#fitsOf(word);
      return fits.length > 0 ? fits : this.#typosOf(word);
    });
  }

  /** The word may have a typo. */
  findLeniently(word: QueryWord): Term {
    return this.#get(this.#lenient, word, () => [...this.#fitsOf(word), ...this.#typosOf(word)]);
  }

  #get(kept: LRUCache<string, Term>, word: QueryWord, make: () => Fit[]): Term {
    const key = word.matchesPrefixes ? `${word.text}*` : word.text;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const term = this.#toTerm(make());
    kept.set(key, term);
    return term;
  }

  #toTerm(fits: Fit[]): Term {
    const size = sizeOf(fits);
    const known = sizeOf(fits.filter(({ gains }) => gains === GAINS.exact || gains === GAINS.form)) || size;
    const rarity = Math.log2((this.#data.count + 1) / (known + 0.5));
    return { fits, size, weight: Math.max(1, Math.round(WEIGHT_SCALE * rarity)) };
  }

  #fitsOf({ text, matchesPrefixes, allowsTypo }: QueryWord): Fit[] {
    const { words } = this.#data;
    const { from, to, isExact } = prefixRange(words, text);
    const forms = allowsTypo ? formsOf(words, text) : [];
    const fits = [...(isExact ? [from] : [])].map((word) => this.#fit(word, word + 1, 'exact'));
    fits.push(...forms.map((word) => this.#fit(word, word + 1, 'form')));
    const longer = this.#fit(isExact ? from + 1 : from, to, 'prefix');
    // A single letter such as `c` is a language if it is a word at all.
    const isLanguage = isExact && text.length === 1 && text < '\x7f';
    if (matchesPrefixes && !isLanguage) fits.push(longer);
    return fits.filter((fit) => this.#isFound(fit));
  }

  /** False for the beginning of words that are only in names as two written as one, which match only as a whole. */
  #isFound({ from, to, gains }: Fit): boolean {
    const { postings } = this.#data;
    for (let at = from; at < to; at++) if ((gains[(postings[at] as number) & 255] as number) > 0) return true;
    return false;
  }

  #typosOf({ text, allowsTypo }: QueryWord): Fit[] {
    if (!allowsTypo) return [];
    return wordsOneEditAway(this.#data.words, text).map((word) => this.#fit(word, word + 1, 'typo'));
  }

  #fit(firstWord: number, endWord: number, kind: FitKind): Fit {
    const { postingOffsets } = this.#data;
    const [from, to] = [postingOffsets[firstWord] as number, postingOffsets[endWord] as number];
    return { from, to, gains: GAINS[kind], isSorted: endWord === firstWord + 1 };
  }
}

function sizeOf(fits: readonly Fit[]): number {
  return fits.reduce((size, { from, to }) => size + to - from, 0);
}
