import { LRUCache } from 'lru-cache';
import type { SearchIndexData } from '../index/index-data.ts';
import { prefixRange } from '../index/text-table.ts';
import { type FitKind, GAINS } from './gains.ts';
import type { QueryWord } from './query-words.ts';
import { formsOf, wordsOneEditAway } from './word-variants.ts';

/** Postings that match a word of a query in the same way. */
export interface Fit {
  from: number;
  to: number;
  gains: Uint8Array;
}

/** A word of a query in the index. */
export interface Term {
  fits: readonly Fit[];
  /** Number of postings. */
  size: number;
  /** Whether it matches by typos only. */
  isTypo: boolean;
  /** Inverse document frequency (Spärck Jones, 1972): rare words weigh more. From 1 to 400. */
  weight: number;
}

const MAX_KEPT = 1_000;
const WEIGHT_SCALE = 16;

/** Finds the postings of words, and remembers those of the latest words. */
export class Terms {
  readonly #data: SearchIndexData;
  readonly #strict = new LRUCache<string, Term>({ max: MAX_KEPT });
  readonly #forgiving = new LRUCache<string, Term>({ max: MAX_KEPT });

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

  /** A word may have a typo even if it matches. */
  findForgiving(word: QueryWord): Term {
    return this.#get(this.#forgiving, word, () => [...this.#fitsOf(word), ...this.#typosOf(word)]);
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
    const size = fits.reduce((sum, { from, to }) => sum + to - from, 0);
    const whole = fits.filter(({ gains }) => gains === GAINS.exact || gains === GAINS.form);
    const matches = (whole.length > 0 ? whole : fits).reduce((sum, fit) => sum + this.#matchesOf(fit), 0);
    const rarity = Math.log2(1 + this.#data.count / Math.max(matches, 1));
    const isTypo = fits.length > 0 && fits.every(({ gains }) => gains === GAINS.typo);
    return { fits, size, isTypo, weight: Math.round(WEIGHT_SCALE * rarity) };
  }

  #fitsOf({ text, matchesPrefixes, allowsVariants }: QueryWord): Fit[] {
    const { words } = this.#data;
    const { from, to, isExact } = prefixRange(words, text);
    const forms = allowsVariants ? formsOf(words, text) : [];
    const fits = isExact ? [this.#fit(from, from + 1, 'exact')] : [];
    fits.push(...forms.map((word) => this.#fit(word, word + 1, 'form')));
    // A single letter such as `c` is a language if it is a word at all.
    const isLanguage = isExact && text.length === 1 && text < '\x7f';
    if (matchesPrefixes && !isLanguage) {
      let next = isExact ? from + 1 : from;
      for (const end of [...forms.filter((form) => form >= next && form < to), to]) {
        fits.push(this.#fit(next, end, 'prefix'));
        next = end + 1;
      }
    }
    return fits.filter((fit) => this.#matchesOf(fit, 1) > 0);
  }

  #typosOf({ text, allowsVariants }: QueryWord): Fit[] {
    const words = allowsVariants ? wordsOneEditAway(this.#data.words, text) : [];
    return words.map((word) => this.#fit(word, word + 1, 'typo')).filter((fit) => this.#matchesOf(fit, 1) > 0);
  }

  /** Postings with a gain, at most `most`: two words of a name written as one match only as a whole. */
  #matchesOf({ from, to, gains }: Fit, most = to - from): number {
    // Every posting has one.
    if (gains === GAINS.exact) return to - from;
    const { postings } = this.#data;
    let count = 0;
    for (let at = from; at < to && count < most; at++) if (gains[postings[at]! & 255] !== 0) count++;
    return count;
  }

  #fit(firstWord: number, endWord: number, kind: FitKind): Fit {
    const { postingOffsets } = this.#data;
    const [from, to] = [postingOffsets[firstWord]!, postingOffsets[endWord]!];
    return { from, to, gains: GAINS[kind] };
  }
}
