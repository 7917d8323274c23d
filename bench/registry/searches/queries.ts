import { createRandom, integer, pick, type Random, toSeed, zipfRank } from '../synthetic/random.ts';
import { createSkill, type SyntheticSkill } from '../synthetic/synthetic-skill.ts';
import { CATEGORIES, TOPICS, VERB_COUNT, verbAt, WORD_COUNT, wordAt } from '../synthetic/vocabulary.ts';

export const SEARCH_KINDS = {
  words50: 'two of the 50 most frequent words',
  words150: 'two of 150 words',
  words349: 'two of 349 words',
  category: 'two of 50 words, and a category',
  exact: 'an exact name',
  typo: 'a name with a typo',
  rare: 'a rare word',
  author: 'an author',
  stars: 'a category by stars',
  sentence: 'a sentence of nine words',
} as const;
export type SearchKind = keyof typeof SEARCH_KINDS;
export const KINDS = Object.keys(SEARCH_KINDS) as SearchKind[];

export interface Search {
  q?: string;
  category?: string;
  author?: string;
  /** Default: by relevance, or by name without `q`. */
  sort?: 'stars';
  skip?: number;
}

/** The registry whose skills are searched. */
export interface SearchedRegistry {
  seed: number;
  /** Number of records. */
  skills: number;
}

const COMMON_WORDS = 50;
const COMMON_CATEGORIES = 10;
/** Shorter words may have no typo. */
const MIN_TYPO = 5;
const MAX_SKIP = 1_000;
/** Words of these ranks each occur in a few of 161 475 skills, at most about 50. */
const RARE_RANKS = { from: 5_000, to: 20_000 };
/** For each search. */
const MAX_DRAWS = 100;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KNOWN_WORDS = new Set(Array.from({ length: WORD_COUNT }, (_, rank) => wordAt(rank)));

/**
 * Returns `count` different searches of a kind; equal arguments give equal searches.
 * @throws if the registry has too few skills for so many
 */
export function createSearches(kind: SearchKind, registry: SearchedRegistry, seed: number, count: number): Search[] {
  const random = createRandom(toSeed(seed, count, KINDS.indexOf(kind)));
  const searches = new Map<string, Search>();
  for (let draws = 0; searches.size < count; draws++) {
    if (draws > MAX_DRAWS * count) throw new Error(`There are fewer than ${count} searches of kind ${kind}`);
    const search = CREATE[kind](random, registry);
    if (search) searches.set(JSON.stringify(search), search);
  }
  return [...searches.values()];
}

/** The functions return undefined if what they drew does not fit. */
const CREATE: Record<SearchKind, (random: Random, registry: SearchedRegistry) => Search | undefined> = {
  words50: (random) => ({ q: twoWords(random, COMMON_WORDS) }),
  words150: (random) => ({ q: twoWords(random, 150) }),
  words349: (random) => ({ q: twoWords(random, TOPICS.length) }),
  category: (random) => ({
    q: twoWords(random, COMMON_WORDS),
    category: pick(random, CATEGORIES.slice(0, COMMON_CATEGORIES)),
  }),
  exact: (random, registry) => ({ q: String(drawSkill(random, registry).name) }),
  typo: (random, registry) => mistypedName(random, String(drawSkill(random, registry).name)),
  rare: (random) => ({ q: wordAt(integer(random, RARE_RANKS.from, RARE_RANKS.to)) }),
  author: (random, registry) => ({ author: String(drawSkill(random, registry).repo).split('/')[0] }),
  stars: (random) => ({ category: pick(random, CATEGORIES), sort: 'stars', skip: integer(random, 0, MAX_SKIP) }),
  sentence: (random) => ({ q: createSentence(random) }),
};

function twoWords(random: Random, size: number): string {
  const first = integer(random, 0, size - 1);
  const second = (first + integer(random, 1, size - 1)) % size;
  return `${TOPICS[first]} ${TOPICS[second]}`;
}

function drawSkill(random: Random, { seed, skills }: SearchedRegistry): SyntheticSkill {
  return createSkill(seed, integer(random, 0, skills - 1), 0);
}

/** One letter of one word is missing, wrong, extra or swapped with the next one. */
function mistypedName(random: Random, name: string): Search | undefined {
  const words = name.split('-');
  const at = integer(random, 0, words.length - 1);
  const word = words[at] ?? '';
  if (!/^[a-z]+$/.test(word) || word.length < MIN_TYPO) return undefined;
  const mistyped = mistype(random, word);
  return KNOWN_WORDS.has(mistyped) || mistyped === word ? undefined : { q: words.with(at, mistyped).join(' ') };
}

function mistype(random: Random, word: string): string {
  const at = integer(random, 1, word.length - 2);
  const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const other = pick(random, [...LETTERS]);
  return pick(random, [
    `${before}${next}${after}`,
    `${before}${other}${next}${after}`,
    `${before}${letter}${other}${next}${after}`,
    `${before}${next}${letter}${after}`,
  ]);
}

function createSentence(random: Random): string {
  const topic = () => TOPICS[zipfRank(random, TOPICS.length)];
  const verb = verbAt(zipfRank(random, VERB_COUNT));
  return pick(random, [
    () => `how do I ${verb.base} ${topic()} ${topic()} for my ${topic()}`,
    () => `help me to ${verb.base} the ${topic()} of a ${topic()}`,
    () => `I need something that ${verb.third} ${topic()} and ${topic()} ${topic()}`,
  ])();
}
