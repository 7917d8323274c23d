import { expect, test } from '@jest/globals';
import { createSkill } from '../synthetic/synthetic-skill.ts';
import { TOPICS } from '../synthetic/vocabulary.ts';
import { createSearches, KINDS, type SearchKind } from './queries.ts';

const REGISTRY = { seed: 1, skills: 2_000 };
const SKILLS = Array.from({ length: REGISTRY.skills }, (_, id) => createSkill(REGISTRY.seed, id, 0));
const NAMES = new Set(SKILLS.map(({ name }) => String(name)));
const WORDS = SKILLS.map(({ name, description }) => new Set(`${name} ${description}`.toLowerCase().match(/[a-z]+/g)));

const textsOf = (kind: SearchKind, count: number) => createSearches(kind, REGISTRY, 1, count).map(({ q }) => String(q));
const countOf = (word: string) => WORDS.filter((words) => words.has(word)).length;

test.each(KINDS)('searches of kind %s are different from each other, and the same for the same seed', (kind) => {
  const searches = createSearches(kind, REGISTRY, 1, 500);
  expect(new Set(searches.map((search) => JSON.stringify(search))).size).toBe(500);
  expect(createSearches(kind, REGISTRY, 1, 500)).toEqual(searches);
  expect(createSearches(kind, REGISTRY, 2, 500)).not.toEqual(searches);
});

test.each([
  ['words50', 50],
  ['words150', 150],
  ['words349', 349],
] as const)('searches of kind %s have two words, and use all of the %i most frequent ones', (kind, size) => {
  const pairs = textsOf(kind, 2_000).map((q) => q.split(' '));
  for (const pair of pairs) expect(new Set(pair).size).toBe(2);
  expect(new Set(pairs.flat())).toEqual(new Set(TOPICS.slice(0, size)));
});

test('each of the 50 most frequent words is in many skills, and a rare word in few', () => {
  for (const word of TOPICS.slice(0, 50)) expect(countOf(word)).toBeGreaterThan(REGISTRY.skills / 50);
  for (const word of textsOf('rare', 50)) expect(countOf(word)).toBeLessThan(REGISTRY.skills / 200);
});

test('an exact name is that of a skill, and a name with a typo of none', () => {
  for (const name of textsOf('exact', 200)) expect(NAMES).toContain(name);
  for (const q of textsOf('typo', 200)) expect(NAMES).not.toContain(q.replaceAll(' ', '-'));
});

test('a typo adds, removes or changes at most one letter of a name, or swaps two', () => {
  const skeletons = new Set([...NAMES].flatMap((name) => toSkeletons(name.replaceAll('-', ' '))));
  for (const q of textsOf('typo', 50)) expect(toSkeletons(q).some((one) => skeletons.has(one))).toBe(true);
});

test('a sentence has nine words', () => {
  for (const q of textsOf('sentence', 200)) expect(q.split(' ')).toHaveLength(9);
});

test('more exact names than the registry has are an error', () => {
  expect(() => createSearches('exact', { seed: 1, skills: 50 }, 1, 50)).toThrow('There are fewer than 50 searches');
});

test('every author has a skill', () => {
  const authors = new Set(SKILLS.map(({ repo }) => String(repo).split('/')[0]));
  for (const { author } of createSearches('author', REGISTRY, 1, 200)) expect(authors).toContain(author);
});

/** The text itself, without each letter, and with each two neighbours in alphabetical order. */
function toSkeletons(text: string): string[] {
  return [...text].flatMap((_, at) => [
    text,
    text.slice(0, at) + text.slice(at + 1),
    `swapped ${text.slice(0, at)}${[...text.slice(at, at + 2)].sort().join('')}${text.slice(at + 2)}`,
  ]);
}
