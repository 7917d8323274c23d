import { expect, test } from '@jest/globals';
import { registryOf } from '../../test/fake-upstream.ts';
import { servedOf } from '../../test/served.ts';
import { joinPage, writePage } from './page-json.ts';
import type { Skill } from './skill.ts';

const { skills } = servedOf(registryOf(2_000));
const all = Uint32Array.from({ length: skills.count }, (_, row) => row);
const at = (row: number) => JSON.parse(skills.jsonAt(row).toString()) as Skill;
const page = (rows: Uint32Array | number[], fields?: (keyof Skill)[], facetsJson?: string) => ({
  rows: Uint32Array.from(rows),
  fields,
  facetsJson,
});
const inPieces = async (asked: ReturnType<typeof page>) =>
  Buffer.concat(await Array.fromAsync(writePage(skills, asked)));

test.each([[[]], [[7]], [[7, 3, 1_999, 0]], [[5, 6, 7]], [[9, 1_998, 1_999, 3, 4, 8]], [[4, 3, 3]]])(
  'joins the skills of rows %j',
  async (rows) => {
    const json = await joinPage(skills, page(rows));
    expect(JSON.parse(json.toString())).toEqual(rows.map(at));
    expect((await inPieces(page(rows))).equals(json)).toBe(true);
  },
);

test('gives only the fields that are asked for, and the id', async () => {
  const json = await joinPage(skills, page([5, 6], ['name', 'source']));
  expect(json.toString()).toBe(JSON.stringify([5, 6].map(at).map(({ id, name, source }) => ({ id, name, source }))));
});

test('puts facets beside the skills', async () => {
  for (const fields of [undefined, ['id'] as (keyof Skill)[]]) {
    const json = await joinPage(skills, page([5], fields, '{"tag":[]}'));
    const skill = fields ? { id: at(5).id } : at(5);
    expect(JSON.parse(json.toString())).toEqual({ skills: [skill], facets: { tag: [] } });
  }
});

test('writes any number of skills in pieces of bounded size', async () => {
  const pieces = await Array.fromAsync(writePage(skills, page(all)));
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(Array.from(all, at));
  expect(pieces.length).toBeGreaterThan(5);
  for (const piece of pieces) expect(piece.length).toBeLessThan(128 * 1024);
});

test('lets others have their turn while many skills are parsed', async () => {
  const rows = Uint32Array.from({ length: 40_000 }, (_, row) => row % skills.count);
  let isDone = false;
  let turns = 0;
  const count = () => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await inPieces(page(rows, ['id']));
  isDone = true;
  expect(turns).toBeGreaterThan(5);
});
