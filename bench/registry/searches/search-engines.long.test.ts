import { beforeAll, expect, test } from '@jest/globals';
import { prepareMiniSearch } from './minisearch-engine.ts';
import { prepareOwn } from './own-engine.ts';
import { createSearches, type SearchKind } from './queries.ts';
import { type BenchedEngine, PAGE } from './search-engine.ts';
import { prepareSqlite } from './sqlite-engine.ts';

const REGISTRY = { seed: 5, skills: 3_000 };
const COUNT = 100;
let own: BenchedEngine;
let sqlite: BenchedEngine;
let miniSearch: BenchedEngine;

beforeAll(async () => {
  [own, sqlite, miniSearch] = [
    (await prepareOwn(REGISTRY))(),
    (await prepareSqlite(REGISTRY))(),
    (await prepareMiniSearch(REGISTRY))(),
  ];
});

/**
 * Of the searches whose words SQLite finds in one skill, counting no more than a page each. If there is none, our
 * engine finds skills with some of the words.
 */
function countFound(engine: BenchedEngine, kind: SearchKind): number {
  const searches = createSearches(kind, REGISTRY, 1, COUNT).filter((search) => sqlite.find(search, false) > 0);
  return searches.reduce((sum, search) => sum + Math.min(PAGE, engine.find(search, false)), 0);
}

test.each(['words50', 'words150', 'words349', 'category', 'exact'] as const)(
  'the engines find about as many skills in searches of kind %s',
  (kind) => {
    const found = countFound(own, kind);
    expect(found).toBeGreaterThan(COUNT / 2);
    // Our engine merges records of the same skill, and MiniSearch also finds similar words.
    expect(Math.abs(countFound(sqlite, kind) / found - 1)).toBeLessThan(0.1);
    expect(countFound(miniSearch, kind)).toBeGreaterThan(0.9 * found);
  },
);

test('our engine and MiniSearch find names with a typo', () => {
  for (const engine of [own, miniSearch]) {
    const searches = createSearches('typo', REGISTRY, 1, COUNT);
    expect(searches.filter((search) => engine.find(search, false) > 0).length).toBeGreaterThan(0.9 * COUNT);
  }
});

test('our engine and SQLite find the skills of an author', () => {
  expect(countFound(own, 'author')).toBeGreaterThanOrEqual(COUNT);
  expect(Math.abs(countFound(sqlite, 'author') / countFound(own, 'author') - 1)).toBeLessThan(0.1);
});
