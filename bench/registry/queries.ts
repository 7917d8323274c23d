import { createRandom, integer, pick, toSeed } from './random.ts';
import { CATEGORIES, TOPICS } from './vocabulary.ts';

/** The most frequent words: each occurs in at least 7 000 of 161 475 skills. */
const COMMON_WORDS = 50;
const COMMON_CATEGORIES = 10;

export interface Query {
  /** Two frequent words. */
  q: string;
  category: string;
}

/** Returns `count` different searches that each have results; equal seeds give equal searches. */
export function createQueries(seed: number, count: number): Query[] {
  const random = createRandom(toSeed(seed, count));
  const common = TOPICS.slice(0, COMMON_WORDS);
  const queries = new Map<string, Query>();
  while (queries.size < count) {
    const first = integer(random, 0, COMMON_WORDS - 1);
    const second = (first + integer(random, 1, COMMON_WORDS - 1)) % COMMON_WORDS;
    const query = {
      q: `${common[first]} ${common[second]}`,
      category: pick(random, CATEGORIES.slice(0, COMMON_CATEGORIES)),
    };
    queries.set(`${query.q}/${query.category}`, query);
  }
  return [...queries.values()];
}
