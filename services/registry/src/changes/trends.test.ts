import { expect, test } from '@jest/globals';
import { servedOf } from '../../test/support/served.ts';
import { findPage } from '../serve/lists/list-page.ts';
import { compareSnapshots } from './skill-difference.ts';
import { advanceTrends, type Trends, trendingRows } from './trends.ts';

const DAY_MS = 86_400_000;
const DAY = 20_000;

const snapshotOf = (stars: Record<string, number>) =>
  servedOf(Object.entries(stars).map(([name, count]) => ({ id: name, name, description: 'A skill.', stars: count })));

type Snapshot = ReturnType<typeof snapshotOf>;

const dayOf = (day: number, gains: Record<string, number>): Trends[number] => ({ day, gains: Object.entries(gains) });

const advance = (trends: Trends, day: number, before: Snapshot, now: Snapshot) =>
  advanceTrends(trends, day * DAY_MS, compareSnapshots(before.identities, now.identities), before.skills, now.skills);

test('new stars and new skills are gains of their day, and lost stars are none', async () => {
  const first = snapshotOf({ a: 1, b: 5, c: 9 });
  const second = snapshotOf({ a: 4, b: 2, c: 9, d: 0 });
  const third = snapshotOf({ a: 5, b: 4, c: 9, d: 0 });
  const trends = await advance([], DAY, first, second);
  expect(trends).toEqual([dayOf(DAY, { d: 10, a: 3 })]);
  expect(await advance(trends, DAY, second, third)).toEqual([dayOf(DAY, { d: 10, a: 4, b: 2 })]);
  expect(await advance(trends, DAY + 1, second, third)).toEqual([dayOf(DAY + 1, { b: 2, a: 1 }), ...trends]);
});

test('trends have eight days, and two thousand skills a day, those with most gains', async () => {
  const [old, recent] = [dayOf(DAY - 8, { a: 1 }), dayOf(DAY - 7, { a: 1 })];
  const many = (gain: number) => Array.from({ length: 2_001 }, (_, at) => [`skill-${at}`, at + gain]);
  const stars = (gain: number) => snapshotOf(Object.fromEntries(many(gain)));
  const [before, now] = [stars(0), stars(1)];
  const trends = await advance([recent, old], DAY, before, now);
  expect(trends.map(({ day }) => day)).toEqual([DAY, DAY - 7]);
  expect(trends[0]?.gains).toHaveLength(2_000);
  expect(await advance([recent], DAY, now, now)).toEqual([recent]);
});

test('a step of more than 20,000 skills is no trend', async () => {
  const many = servedOf(Array.from({ length: 20_001 }, (_, at) => ({ id: `s${at}`, name: `s${at}` })));
  expect(await advance([], DAY, snapshotOf({ a: 1 }), many)).toEqual([]);
});

test('the order by trend is by the gains of the last week, then by popularity', () => {
  const trends = [dayOf(DAY, { b: 2, gone: 9, c: 1 }), dayOf(DAY - 7, { c: 3 }), dayOf(DAY - 8, { e: 99 })];
  const stars = Object.entries({ a: 1, b: 1, c: 1, d: 50, e: 2 });
  const records = stars.map(([name, count]) => ({ id: name, name, description: 'A skill.', stars: count }));
  const served = servedOf(records, { at: DAY * DAY_MS, trends });
  const idsIn = (order?: 'asc' | 'desc') =>
    Array.from(findPage(served, { sort: 'trending', order, skip: 0 }).rows, (row) => served.skills.idAt(row));
  expect(idsIn()).toEqual(['c', 'b', 'd', 'e', 'a']);
  expect(idsIn('asc')).toEqual(['a', 'e', 'd', 'b', 'c']);
  expect(trendingRows([], DAY * DAY_MS, served.skills, new Uint32Array())).toHaveLength(0);
});
