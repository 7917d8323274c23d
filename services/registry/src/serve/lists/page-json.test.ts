import { expect, test } from '@jest/globals';
import { registryOf } from '../../../test/support/fake-upstream.ts';
import { servedOf } from '../../../test/support/served.ts';
import type { Skill } from '../../skills/skill.ts';
import { writePage } from './page-json.ts';

const { skills } = servedOf(registryOf(2_000));
const all = Uint32Array.from({ length: skills.count }, (_, row) => row);
const at = (row: number) => JSON.parse(skills.jsonAt(row).toString()) as Skill;
test('a long page is written in pieces of bounded size', async () => {
  const pieces = await Array.fromAsync(writePage(skills, { rows: all, fields: undefined, facetsJson: undefined }));
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
  await Array.fromAsync(writePage(skills, { rows, fields: ['id'], facetsJson: undefined }));
  isDone = true;
  expect(turns).toBeGreaterThan(5);
});
