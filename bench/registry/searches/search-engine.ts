import type { Search, SearchKind } from './queries.ts';

export const PAGE = 50;
export const FACETS = ['category', 'tag', 'author', 'license', 'valid'] as const;

const MAX_REQUIRED_WORDS = 6;

/** A search engine in this process that holds the synthetic skills. */
export interface BenchedEngine {
  /** Kinds of searches that it cannot do. */
  cannot: readonly SearchKind[];
  /**
   * Searches, and makes the JSON of the first `PAGE` skills for a response. Returns the number of matches, or of the
   * skills of the page if the engine does not count matches.
   */
  find(search: Search, withFacets: boolean): number;
}

/** The words of a query for an engine that has no rule of its own for hyphens. */
export function wordsOf(q: string): string[] {
  return q.toLowerCase().split(/[\s-]+/);
}

/** No skill has all words of a longer query: one of them is enough for an engine that has no rule of its own. */
export function requiresAll(words: readonly string[]): boolean {
  return words.length <= MAX_REQUIRED_WORDS;
}

/** The rule of our engine: words of three letters and more, and the last one, match longer words too. */
export function matchesPrefixes(word: string, isLast: boolean): boolean {
  return isLast || word.length >= 3;
}
