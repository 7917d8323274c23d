import { createRandom, integer, pick, toSeed } from './random.ts';
import { CATEGORIES, TOPICS } from './vocabulary.ts';

/** Of the words, the most frequent: each is in 7 000 and more of 161 475 skills. */
const COMMON_WORDS = 50;
const COMMON_CATEGORIES = 10;

export interface Query {
  /** Two common words. */
  q: string;
  category: string;
}

/** Different searches of which each finds something, the same ones for the same seed. */
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
