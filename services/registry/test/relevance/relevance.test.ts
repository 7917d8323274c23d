import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SearchEngine } from '../../src/search/engine.ts';
import { IndexWriter } from '../../src/search/index-writer.ts';
import {
  FILES,
  type FileName,
  FOLDER,
  hasFiles,
  KINDS,
  keyOf,
  type RelevanceQuery,
  readSkills,
} from './real-skills.ts';

const QUERIES: RelevanceQuery[] = JSON.parse(readFileSync(resolve(import.meta.dirname, 'queries.json'), 'utf8'));
const WANTED_SHARE = 0.95;

describe('the queries made from real files', () => {
  test('are 40 of each kind, with at most four words of a description', () => {
    for (const kind of KINDS) expect(QUERIES.filter((query) => query.kind === kind)).toHaveLength(40);
    for (const { kind, q } of QUERIES) if (kind === 'description') expect(q.split(' ').length).toBeLessThanOrEqual(4);
  });

  if (!hasFiles) {
    console.warn(`No real registry files at ${FOLDER}: relevance is not measured (set REGISTRY_DATA_DIR)`);
    return;
  }

  test('find exact names first, and all else among the first ten', () => {
    const places = placesOf(QUERIES);
    const figures = KINDS.map((kind) => {
      const found = QUERIES.map((query, at) => (query.kind === kind ? places[at] : undefined)).filter(
        (place) => place !== undefined,
      );
      const within = (last: number) => found.filter((place) => place <= last).length / found.length;
      return { kind, queries: found.length, first: within(1), firstTen: within(10) };
    });
    const table = figures.map(
      ({ kind, queries, first, firstTen }) =>
        `${kind}: ${queries} queries, first ${first * 100} %, first ten ${firstTen * 100} %`,
    );
    console.log(table.join('\n'));
    for (const { kind, first, firstTen } of figures) {
      expect(`${kind}: ${(kind === 'name' ? first : firstTen) >= WANTED_SHARE}`).toBe(`${kind}: true`);
    }
  });
});

/** At which place, from 1 on, each query finds the skill it wants; `Infinity` beyond ten. */
function placesOf(queries: RelevanceQuery[]): number[] {
  const places = new Map<RelevanceQuery, number>();
  for (const file of Object.keys(FILES) as FileName[]) {
    const skills = readSkills(file);
    const writer = new IndexWriter();
    const rows = Uint32Array.from(skills, (skill) => writer.add(skill));
    const engine = new SearchEngine(writer.finish(rows, skills.length));
    for (const query of queries) {
      if (query.file !== file) continue;
      const keys = Array.from(engine.find({ q: query.q, skip: 0, limit: 10 }).rows, (row) =>
        keyOf(skills[row] as (typeof skills)[number]),
      );
      const at = keys.indexOf(query.wanted);
      places.set(query, at < 0 ? Number.POSITIVE_INFINITY : at + 1);
    }
  }
  return queries.map((query) => places.get(query) as number);
}
