import { expect, test } from '@jest/globals';
import { registryOf } from '../../../test/support/fake-upstream.ts';
import { servedOf } from '../../../test/support/served.ts';
import type { Served } from '../served.ts';
import { writeCursor } from './cursor.ts';
import { findPage, isWholeList, resolveCursor } from './list-page.ts';
import { LIST_QUERY } from './list-query.ts';

const queryOf = (query: Partial<Record<string, string>>) => LIST_QUERY.parse(query);
const idsOf = (served: Served, rows: Uint32Array) => Array.from(rows, (row) => served.skills.idAt(row));

/** One page by its cursor, and the cursor of the next. */
function follow(served: Served, given: Record<string, string>) {
  const query = queryOf(given);
  const page = findPage(served, resolveCursor(served, query));
  const ids = idsOf(served, page.rows);
  const position = page.skip + page.rows.length;
  return { ids, next: writeCursor({ snapshotId: served.meta.id, position, lastIds: ids.slice(-4).reverse() }, query) };
}

const without = (...missing: number[]) => registryOf(40).skills.filter((_, at) => !missing.includes(at));

test.each([{}, { q: '' }, { skip: '0' }, { sort: 'name' }, { order: 'asc' }, { category: '' }])(
  'the query %j is for the whole list',
  (query) => {
    expect(isWholeList(queryOf(query))).toBe(true);
  },
);

test.each<Record<string, string>>([
  ...[{ q: 'a' }, { limit: '1' }, { skip: '1' }, { order: 'desc' }, { sort: 'stars' }],
  ...[{ valid: 'false' }, { fields: 'id' }, { cursor: '' }],
])('the query %j is not for the whole list', (query) => {
  expect(isWholeList(queryOf(query))).toBe(false);
});

const served = servedOf({
  categories: [
    { id: 'odd', name: 'The Odd Ones' },
    { id: 'none', name: 'even' },
    { id: 'even', name: '],"tags":[' },
  ],
  ...registryOf(40),
});

test.each([
  ['odd', 20],
  ['ODD', 20],
  ['the odd ones', 20],
  ['even', 20],
  ['],"tags":[', 20],
  ['the even ones', 0],
])('a page for the category %j, an id before a name and in any case, is of %i skills', (category, total) => {
  expect(findPage(served, queryOf({ category })).total).toBe(total);
});

test('pages with other skills, fields or order have other entity tags', () => {
  const digestOf = (query: Partial<Record<string, string>>) => findPage(served, queryOf(query)).digest;
  const queries = [
    { limit: '2' },
    { limit: '3' },
    { limit: '2', skip: '1' },
    { limit: '2', order: 'desc' },
    { limit: '2', fields: 'id' },
    { limit: '2', fields: 'name' },
  ];
  expect(new Set(queries.map(digestOf)).size).toBe(queries.length);
  expect(digestOf({ limit: '2', sort: 'name' })).toBe(digestOf({ limit: '2' }));
});

test('the entity tag of a page changes with its own skills only', () => {
  const { skills } = registryOf(40);
  const changed = servedOf({ skills: skills.with(3, { ...(skills[3] as object), description: 'Another one.' }) });
  const plain = servedOf({ skills });
  const digests = (query: Record<string, string>) =>
    [plain, changed].map((snapshot) => findPage(snapshot, queryOf(query)).digest);
  const [before, after] = digests({ tag: 'tag-3' });
  expect(before).not.toBe(after);
  const [same, still] = digests({ tag: 'tag-4' });
  expect(same).toBe(still);
});

const sorted = { sort: 'stars', order: 'asc', limit: '10' };
const first = follow(servedOf(registryOf(40)), { ...sorted, cursor: '' });

const { skills } = registryOf(40);
const added = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `added-${at}`, stars: 0 }));

test.each<[string, unknown[], string]>([
  ['skills before it are removed', without(2, 3, 4), 'skill-10'],
  ['skills are added before it', [...skills, ...added(1)], 'skill-10'],
  ['the last skill is removed', without(9), 'skill-10'],
  ['the last skill is removed and others are added', [...added(10), ...without(9)], 'skill-10'],
  ['the last four skills are removed: at its position', without(6, 7, 8, 9), 'skill-14'],
])('a cursor continues after the last skill in another snapshot where %s', (_what, next, id) => {
  expect(first.ids.at(-1)).toBe('skill-9');
  expect(follow(servedOf({ skills: next }), { ...sorted, cursor: first.next }).ids[0]).toBe(id);
});

test('a cursor continues after a last skill that does not match the query any more', () => {
  const odd = { category: 'odd', ...sorted };
  const { next } = follow(servedOf({ skills }), { ...odd, cursor: '' });
  const moved = servedOf({ skills: skills.with(19, { ...(skills[19] as object), category: 'even' }) });
  expect(follow(moved, { ...odd, cursor: next }).ids[0]).toBe('skill-21');
});

test('a cursor cannot be given together with skip', () => {
  expect(() => follow(servedOf(registryOf(4)), { cursor: '', skip: '1' })).toThrow('together with skip');
});
