import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCursor, writeCursor } from './cursor.ts';
import { CATALOGUE_QUERY, LIST_QUERY } from './list-query.ts';

const queryOf = (query: Partial<Record<string, string>>) => LIST_QUERY.parse(query);
const query = queryOf({ q: 'review', tag: 'git', sort: 'stars' });
const cursor = { snapshotId: 'a'.repeat(64), position: 100, lastIds: ['owner~name'] };

test('a cursor is read with another limit, other fields and facets of its query', () => {
  const text = writeCursor(cursor, query);
  expect(text).toMatch(/^[\w-]+$/);
  const other = { q: 'review', tag: 'git', sort: 'stars', limit: '7', fields: 'id', facets: 'tag', cursor: text };
  expect(readCursor(text, CATALOGUE_QUERY.parse(other))).toMatchObject({ position: 100, lastIds: ['owner~name'] });
});

test.each([
  { q: 'reviews', tag: 'git', sort: 'stars' },
  { q: 'review', tag: 'git' },
  { q: 'review', tag: 'git', sort: 'stars', order: 'asc' },
  { q: 'review', tag: 'git', sort: 'stars', valid: 'true' },
  { q: 'review', author: 'git', sort: 'stars' },
  { q: 'review', tag: 'git', sort: 'stars', updated_since: '2026-01-01' },
])('a cursor is refused with another query: %j', (other) => {
  expect(() => readCursor(writeCursor(cursor, query), queryOf(other))).toThrow('cursor: is not a cursor of this list');
});

test('a text that is not a cursor is refused', () => {
  const written = JSON.parse(Buffer.from(writeCursor(cursor, query), 'base64url').toString()) as unknown[];
  const wrong = [...[2, '1', null].map((version) => [0, version]), [1, 'x'], [2, 7], [3, -1], [3, 1.5], [3, '1']];
  const wrongIds = [['a', 'b', 'c', 'd', 'e'], [1], 'owner~name', null].map((ids) => [4, ids]);
  const changed = [...wrong, ...wrongIds].map(([at, value]) => written.with(Number(at), value));
  const others = [written.slice(0, -1), [...written, 1], {}, null];
  const encoded = [...changed, ...others].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
  const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom(...encoded));
  fc.assert(
    fc.property(text, (given) => {
      expect(() => readCursor(given, query)).toThrow('cursor: is not a cursor of this list');
    }),
    { numRuns: 500 },
  );
});
