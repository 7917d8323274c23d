import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { registryOf } from '../../../test/support/fake-upstream.ts';
import { servedOf } from '../../../test/support/served.ts';
import type { Skill } from '../../skills/skill.ts';
import { writePage } from './list-body.ts';
import { findPage } from './list-page.ts';

const [few, many] = [servedOf(registryOf(40)), servedOf(registryOf(10_001))];
const listOf = ({ skills, counts }: typeof few) =>
  Array.from({ length: counts.skills }, (_, row) => JSON.parse(skills.jsonAt(row).toString()));

test.each([
  ['no skills', servedOf([])],
  ['a few skills', few],
  ['many skills', many],
])('the list of %s is the same in all codings, with its length', async (_what, served) => {
  const { list } = served.bodies;
  const identity = Buffer.concat(await list.stream().source.toArray());
  expect(JSON.parse(identity.toString())).toEqual(listOf(served));
  expect(await list.length('identity')).toBe(identity.length);
  expect(gunzipSync((await list.whole('gzip'))?.body ?? '').equals(identity)).toBe(true);
  expect(brotliDecompressSync((await list.whole('br'))?.body ?? '').equals(identity)).toBe(true);
});

test('a list is coded once for all requests, and only a short one is kept uncompressed', async () => {
  const { list } = servedOf(registryOf(40)).bodies;
  expect(await list.length('br')).toBeUndefined();
  const [first, second] = await Promise.all([list.whole('br'), list.whole('br')]);
  expect(second?.body).toBe(first?.body);
  expect(await list.length('br')).toBe(first?.body.length);
  expect((await list.whole('identity'))?.body).toBe((await list.whole('identity'))?.body);
  expect(many.bodies.list.whole('identity')).toBeUndefined();
});

test('the entity tag of the list is that of a page with the same skills', async () => {
  const page = findPage(few, { skip: 0, limit: 40 });
  expect(await few.bodies.list.digest()).toBe(page.digest);
});

const { skills } = servedOf(registryOf(2_000));
const all = Uint32Array.from({ length: skills.count }, (_, row) => row);
const at = (row: number) => JSON.parse(skills.jsonAt(row).toString()) as Skill;
test('a long page is written in pieces of bounded size', async () => {
  const pieces = await Array.fromAsync(writePage(skills, { rows: all, fields: undefined }));
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(Array.from(all, at));
  expect(pieces.length).toBeGreaterThan(5);
  for (const piece of pieces) expect(piece.length).toBeLessThan(128 * 1024);
});

test('a long page with fewer fields does not block the event loop', async () => {
  const rows = Uint32Array.from({ length: 40_000 }, (_, row) => row % skills.count);
  let isDone = false;
  let turns = 0;
  const count = () => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await Array.fromAsync(writePage(skills, { rows, fields: ['id'] }));
  isDone = true;
  expect(turns).toBeGreaterThan(5);
});
