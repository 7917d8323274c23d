import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { SearchEngine } from '../../src/search/engine.ts';
import { createIndex } from '../search/sample-skills.ts';
import { FOLDER, hasFiles, KINDS, keyOf, type RelevanceQuery, readSkills } from './real-skills.ts';

const QUERIES: RelevanceQuery[] = JSON.parse(readFileSync(resolve(import.meta.dirname, 'queries.json'), 'utf8'));
const WANTED_SHARE = 0.95;

test('each kind has 40 queries, with at most four words of a description', () => {
  for (const kind of KINDS) expect(QUERIES.filter((query) => query.kind === kind)).toHaveLength(40);
  for (const { kind, q } of QUERIES) if (kind === 'description') expect(q.split(' ').length).toBeLessThanOrEqual(4);
});

if (hasFiles) {
  const ranks = findRanks();
  test.each(KINDS)('queries by %s find the wanted skill', (kind) => {
    const found = QUERIES.filter((query) => query.kind === kind).map((query) => ranks.get(query) ?? 0);
    const within = (last: number) => found.filter((place) => place <= last).length / found.length;
    const [first, firstTen] = [within(1), within(10)];
    console.log(`${kind}: ${found.length} queries, first ${first * 100} %, first ten ${firstTen * 100} %`);
    expect(kind === 'name' ? first : firstTen).toBeGreaterThanOrEqual(WANTED_SHARE);
  });
} else console.warn(`No real registry files at ${FOLDER}: relevance is not measured (set REGISTRY_DATA_DIR)`);

/** The rank, from 1, of the wanted skill in the results of each query; `Infinity` beyond ten. */
function findRanks(): Map<RelevanceQuery, number> {
  const ranks = new Map<RelevanceQuery, number>();
  for (const file of new Set(QUERIES.map((query) => query.file))) {
    const skills = readSkills(file);
    const keys = skills.map(keyOf);
    const engine = new SearchEngine(createIndex(skills));
    for (const query of QUERIES.filter((one) => one.file === file)) {
      const { rows } = engine.find({ q: query.q, skip: 0, limit: 10 });
      const at = Array.from(rows, (row) => keys[row]).indexOf(query.wanted);
      ranks.set(query, at < 0 ? Number.POSITIVE_INFINITY : at + 1);
    }
  }
  return ranks;
}
