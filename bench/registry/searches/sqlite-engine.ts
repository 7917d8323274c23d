import { DatabaseSync } from 'node:sqlite';
import { createPeerSkills, type PeerSkill, SEARCHED_FIELDS } from './peer-skills.ts';
import type { Search, SearchedRegistry } from './queries.ts';
import { type BenchedEngine, matchesPrefixes, PAGE, requiresAll, wordsOf } from './search-engine.ts';

/** In the order of `SEARCHED_FIELDS`. */
const RANK = 'bm25(10.0, 5.0, 4.0, 4.0, 4.0, 1.0)';
const COLUMNS = ['id', ...SEARCHED_FIELDS, 'stars', 'json'] as const;

/**
 * FTS5 with its ranking and prefix indexes, over a table of the skills in memory (https://sqlite.org/fts5.html), with
 * the indexes that the filters need.
 */
export async function prepareSqlite(registry: SearchedRegistry): Promise<() => BenchedEngine> {
  const skills = createPeerSkills(registry);
  return () => toEngine(fill(skills.splice(0)));
}

function fill(skills: PeerSkill[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    CREATE TABLE skills (id INTEGER PRIMARY KEY, ${SEARCHED_FIELDS.join(', ')}, stars INTEGER, json TEXT);
    CREATE VIRTUAL TABLE texts USING fts5(${SEARCHED_FIELDS.join(', ')}, content='skills', content_rowid='id',
      tokenize='unicode61 remove_diacritics 2', prefix='2 3');
    INSERT INTO texts(texts, rank) VALUES ('rank', '${RANK}');
    BEGIN`);
  const insert = database.prepare(`INSERT INTO skills VALUES (${COLUMNS.map(() => '?').join(', ')})`);
  for (const skill of skills) insert.run(...COLUMNS.map((name) => skill[name]));
  database.exec(`
    INSERT INTO texts(texts) VALUES ('rebuild');
    INSERT INTO texts(texts) VALUES ('optimize');
    CREATE INDEX by_author ON skills (author, name);
    CREATE INDEX by_stars ON skills (category, stars DESC);
    COMMIT;
    ANALYZE`);
  return database;
}

function toEngine(database: DatabaseSync): BenchedEngine {
  const byWords = database.prepare(`
    SELECT json FROM (SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ${PAGE}) AS found
    JOIN skills ON skills.id = found.rowid`);
  const byAuthor = database.prepare(`SELECT json FROM skills WHERE author = ? ORDER BY name LIMIT ${PAGE}`);
  const byStars = database.prepare(
    `SELECT json FROM skills WHERE category = ? ORDER BY stars DESC LIMIT ${PAGE} OFFSET ?`,
  );
  const select = ({ q, category = '', author = '', skip = 0 }: Search) => {
    if (q !== undefined) return byWords.all(toMatch(q, category));
    return author ? byAuthor.all(author) : byStars.all(category, skip);
  };
  return {
    cannot: ['typo'],
    find(search) {
      const found = select(search);
      Buffer.from(found.map(({ json }) => json).join(','));
      return found.length;
    },
  };
}

function toMatch(q: string, category: string): string {
  const words = wordsOf(q);
  const phrases = words.map((word, at) => `"${word}"${matchesPrefixes(word, at === words.length - 1) ? '*' : ''}`);
  const match = phrases.join(requiresAll(words) ? ' AND ' : ' OR ');
  return category ? `(${match}) AND category : "${category}"` : match;
}
