import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { SearchableSkill } from '../../src/index/index-writer.ts';
import { keyOf } from '../../src/index/words/fold.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { FACET_NAMES, type FacetName, type Found, type SearchQuery } from '../../src/search/search-query.ts';
import { isListed } from '../../src/skills/skill.ts';
import { runs } from '../support/property-runs.ts';
import { findNaively } from './naive-search.ts';
import { anySkill, createEngine, createIndex, skillText } from './sample-skills.ts';

const skills = fc
  .array(anySkill, { maxLength: 25 })
  .map((all) => all.toSorted((a, b) => Number(isListed(b.kind)) - Number(isListed(a.kind))));
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const anyQuery: fc.Arbitrary<SearchQuery> = fc.record({
  q: fc.oneof({ weight: 4, arbitrary: skillText }, { weight: 1, arbitrary: fc.constantFrom(undefined, '', ' ') }),
  category: rarely(fc.constantFrom('ABC', 'ccc', 'none', '')),
  kinds: rarely(fc.constantFrom(['agent'], ['skill', 'hook'], ['command'])),
  tag: rarely(fc.constantFrom('ANN', 'bo', 'a-b', 'çÉ', 'C\u0327e\u0301', 'none')),
  author: rarely(fc.constantFrom('ANN', 'bo', 'none')),
  repo: rarely(fc.constantFrom('ANN/abc', 'bo/b', 'none')),
  license: rarely(fc.constantFrom('mit', 'APACHE-2.0', 'none')),
  valid: rarely(fc.boolean()),
  updatedSince: rarely(fc.constantFrom(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2))),
  sort: maybe(fc.constantFrom('name', 'stars', 'downloads', 'updated', 'relevance')),
  order: maybe(fc.constantFrom('asc', 'desc')),
  skip: fc.constant(0),
});

/** Returns these rows in the order of any sort except relevance. */
function sortRows(all: SearchableSkill[], rows: number[], { sort = 'name', order }: SearchQuery): number[] {
  const sign = (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  const value = (row: number) => {
    const { stars = null, downloads = null, updated_at = null } = all[row] ?? {};
    if (sort === 'updated') return updated_at === null ? null : Date.parse(updated_at);
    return sort === 'stars' ? stars : sort === 'downloads' ? downloads : row;
  };
  const compare = (a: number | null, b: number | null) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : sign * (a - b);
  return rows.toSorted((a, b) => compare(value(a), value(b)) || a - b);
}

function valuesOf(skill: SearchableSkill, name: FacetName): string[] {
  if (name === 'tag') return skill.tags;
  if (name === 'category') return skill.categories;
  const value = name === 'valid' ? String(skill.valid) : skill[name];
  return value === null ? [] : [value];
}

function countsOf(all: SearchableSkill[], rows: number[], name: FacetName): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const keys = new Set(valuesOf(all[row] as SearchableSkill, name).map(keyOf));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function facetsOf({ facetsJson = '{}' }: Found): Partial<Record<FacetName, { value: string; count: number }[]>> {
  return JSON.parse(facetsJson);
}

test('a search finds, sorts and counts the same as a naive search, for a sequence of queries', () => {
  fc.assert(
    fc.property(skills, fc.array(anyQuery, { minLength: 1, maxLength: 8 }), (all, queries) => {
      const engine = new SearchEngine(createIndex(all));
      for (const query of queries) {
        const found = engine.find({ ...query, facets: FACET_NAMES });
        const rows = [...found.rows];
        const isRelevance = query.sort === 'relevance' || (query.sort === undefined && Boolean(query.q?.trim()));
        const expected = findNaively(all, query);
        expect(isRelevance ? rows.toSorted((a, b) => a - b) : rows).toEqual(
          isRelevance ? expected : sortRows(all, expected, query),
        );
        expect(found.total).toBe(expected.length);
        for (const name of FACET_NAMES) {
          const counts = new Map(facetsOf(found)[name]?.map(({ value, count }) => [keyOf(value), count]));
          expect(counts).toEqual(countsOf(all, expected, name));
        }
      }
    }),
    { numRuns: runs(300) },
  );
});

test('the beginning of two words of a name written as one is no match, so that the word may have a typo', () => {
  const engine = createEngine([
    { name: 'abc ca' },
    { name: 'one', author: 'abc', description: 'bcac' },
    { name: 'two', author: 'abc', description: 'cac' },
  ]);
  const { rows } = engine.find({ q: 'abcc bcac', skip: 0 });
  expect([...rows]).toEqual([1]);
});

test('a record of a kind that is not searched does not hide skills with a typo or with most of the words', () => {
  const engine = createEngine([
    { name: 'code-review' },
    { name: 'kube-deploy', description: 'Deploys to a cluster' },
    { name: 'other', kind: 'agent', description: 'revew, deploy cluster helper' },
  ]);
  const find = (q: string) => [...engine.find({ q, skip: 0 }).rows];
  expect(find('revew')).toEqual([0]);
  expect(find('deploy cluster helper')).toEqual([1]);
});

test('the joined pages of a search are the whole result', () => {
  fc.assert(
    fc.property(skills, anyQuery, fc.integer({ min: 1, max: 9 }), (all, query, limit) => {
      const engine = new SearchEngine(createIndex(all));
      const whole = [...engine.find(query).rows];
      const pages: number[] = [];
      for (let skip = 0; skip < whole.length + limit; skip += limit) {
        const page = engine.find({ ...query, skip, limit });
        expect(page.total).toBe(whole.length);
        pages.push(...page.rows);
      }
      expect(pages).toEqual(whole);
    }),
  );
});

test('a facet has the hundred most frequent values of all matches, on any page', () => {
  const engine = createEngine(
    Array.from({ length: 300 }, (_, at) => ({
      name: `skill ${at}`,
      author: `author-${at % 150}`,
      tags: at < 200 ? ['most'] : [],
    })),
  );
  const facets = facetsOf(engine.find({ q: 'skill', facets: ['author', 'tag'], skip: 299, limit: 1 }));
  expect(facets.author).toHaveLength(100);
  expect(facets.author?.every(({ count }) => count === 2)).toBe(true);
  expect(facets.tag).toEqual([{ value: 'most', count: 200 }]);
});

test('a search finds the same after any number of other frequent words', () => {
  const words = Array.from({ length: 100 }, (_, at) => `word${at.toString(36)}x`);
  // Each word is in every second skill, in a pattern of its own.
  const sample = Array.from({ length: 64 }, (_, row) => ({
    name: `skill ${row}`,
    description: words.filter((_word, at) => (Math.imul(row + 1, at * 2 + 3) & 4) !== 0).join(' '),
  }));
  const engine = createEngine(sample);
  const search = (one: SearchEngine, at: number) =>
    one.find({ q: `${words[at]} ${words[(at + 37) % words.length]}`, skip: 0 });
  for (let at = 0; at < words.length; at++) expect(search(engine, at)).toEqual(search(createEngine(sample), at));
  for (let at = 0; at < words.length; at++) expect(search(engine, at)).toEqual(search(createEngine(sample), at));
});
