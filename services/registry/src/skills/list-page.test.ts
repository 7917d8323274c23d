import { expect, test } from '@jest/globals';
import { registryOf } from '../../test/fake-upstream.ts';
import { servedOf } from '../../test/served.ts';
import type { Served } from '../snapshots/served.ts';
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

const without = (count: number, ...missing: number[]) => {
  const { skills } = registryOf(count);
  return { skills: skills.filter((_, at) => !missing.includes(at)) };
};

test.each([{}, { q: '' }, { skip: '0' }, { sort: 'name' }, { order: 'asc' }, { category: '' }])(
  '%j is the whole list',
  (query) => {
    expect(isWholeList(queryOf(query))).toBe(true);
  },
);

test.each([
  { q: 'a' },
  { limit: '1' },
  { skip: '1' },
  { order: 'desc' },
  { sort: 'stars' },
  { valid: 'false' },
  { fields: 'id' },
  { facets: 'tag' },
  { cursor: '' },
])('%j is not the whole list', (query) => {
  expect(isWholeList(queryOf(query))).toBe(false);
});

const served = servedOf({ categories: [{ id: 'odd', name: 'The Odd Ones' }], ...registryOf(40) });

test('a page finds a category by id or name in any case', () => {
  for (const category of ['odd', 'ODD', 'the odd ones']) {
    expect(findPage(served, queryOf({ category })).total).toBe(20);
  }
  expect(findPage(served, queryOf({ category: 'the even ones' })).total).toBe(0);
});

test('a page of the list as it stands is what a search for all of them gives', () => {
  for (const part of [
    {},
    { skip: '7' },
    { limit: '5' },
    { skip: '38', limit: '5' },
    { skip: '40' },
    { skip: '99', limit: '1' },
  ]) {
    const { rows, total } = findPage(served, queryOf(part));
    const { rows: found } = served.search.find({
      skip: Number(part.skip ?? 0),
      limit: part.limit ? Number(part.limit) : undefined,
    });
    expect({ rows, total }).toEqual({ rows: found, total: 40 });
  }
});

test('a page has another entity tag for other skills, fields, facets or order, and the same one for the same', () => {
  const digestOf = (query: Partial<Record<string, string>>) => findPage(served, queryOf(query)).digest;
  const queries = [
    { limit: '2' },
    { limit: '3' },
    { limit: '2', skip: '1' },
    { limit: '2', order: 'desc' },
    { limit: '2', fields: 'id' },
    { limit: '2', fields: 'name' },
    { limit: '2', facets: 'tag' },
    { limit: '2', facets: 'category' },
  ];
  expect(new Set(queries.map(digestOf)).size).toBe(queries.length);
  expect(digestOf({ limit: '2', sort: 'name' })).toBe(digestOf({ limit: '2' }));
});

test('a page has another entity tag when a skill of it changes, and no other', () => {
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

test('a cursor leads through the whole list, a hundred at a time unless said otherwise', () => {
  const served = servedOf(registryOf(250));
  const pages = [follow(served, { cursor: '' })];
  for (let at = 0; at < 3; at++) pages.push(follow(served, { cursor: pages[at]?.next ?? '' }));
  expect(pages.map(({ ids }) => ids.length)).toEqual([100, 100, 50, 0]);
  const all = Uint32Array.from({ length: 250 }, (_, row) => row);
  expect(pages.flatMap(({ ids }) => ids)).toEqual(idsOf(served, all));
});

const sorted = { sort: 'stars', order: 'asc', limit: '10' };
const first = follow(servedOf(registryOf(40)), { ...sorted, cursor: '' });

test('a cursor goes on after the last skill in another snapshot, whatever went or came before it', () => {
  expect(first.ids.at(-1)).toBe('skill-9');
  const fewer = servedOf(without(40, 2, 3, 4));
  expect(follow(fewer, { ...sorted, cursor: first.next }).ids[0]).toBe('skill-10');
  const more = servedOf({ skills: [...registryOf(40).skills, { name: 'new', stars: 0 }] });
  expect(follow(more, { ...sorted, cursor: first.next }).ids[0]).toBe('skill-10');
});

test('a cursor goes on at its place where the last four given are gone', () => {
  const gone = servedOf(without(40, 6, 7, 8, 9));
  expect(follow(gone, { ...sorted, cursor: first.next }).ids[0]).toBe('skill-14');
});

test('a cursor passes over those that are gone or fit no more', () => {
  const gone = servedOf(without(40, 9));
  expect(follow(gone, { ...sorted, cursor: first.next }).ids[0]).toBe('skill-10');
  const odd = { category: 'odd', ...sorted };
  const { next } = follow(servedOf(registryOf(40)), { ...odd, cursor: '' });
  const { skills } = registryOf(40);
  const moved = servedOf({ skills: skills.with(19, { ...(skills[19] as object), category: 'even' }) });
  expect(follow(moved, { ...odd, cursor: next }).ids[0]).toBe('skill-21');
});

test('a cursor cannot be given together with skip', () => {
  expect(() => follow(servedOf(registryOf(4)), { cursor: '', skip: '1' })).toThrow('together with skip');
});

test('a cursor goes on after the last one given that is still there, where the very last has gone and others came', () => {
  const { skills } = registryOf(40);
  const added = Array.from({ length: 10 }, (_, at) => ({ name: `added-${at}`, stars: 0 }));
  const changed = servedOf({ skills: [...added, ...skills.filter((_, at) => at !== 9)] });
  expect(follow(changed, { ...sorted, cursor: first.next }).ids[0]).toBe('skill-10');
});
