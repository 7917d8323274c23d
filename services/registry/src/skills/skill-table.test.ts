import { expect, test } from '@jest/globals';
import { createSlots, SkillTable } from './skill-table.ts';

function tableOf(skills: { id: string }[]): SkillTable {
  const list = Buffer.from(JSON.stringify(skills));
  const offsets = new Uint32Array(skills.length + 1).fill(1);
  for (const [row, skill] of skills.entries()) {
    offsets[row + 1] = (offsets[row] as number) + JSON.stringify(skill).length + 1;
  }
  return new SkillTable({ list, offsets, slots: createSlots(list, offsets) });
}

test('a skill is found only by its exact id', () => {
  // Only one slot is empty: every row is compared.
  const list = Buffer.from('[{"id":"a","name":"b","x":"c"}]');
  const table = new SkillTable({ list, offsets: Uint32Array.of(1, list.length), slots: Uint32Array.of(1, 0) });
  expect(table.rowOf('a","name":"b')).toBeUndefined();
  expect(table.rowOf('a')).toBe(0);
});

test('the table of skills has no skill beyond its rows, nor under an empty or very long id', () => {
  const table = tableOf([{ id: 'a' }]);
  expect(() => table.jsonAt(1)).toThrow(RangeError);
  expect(() => table.idAt(-1)).toThrow(RangeError);
  expect(table.rowOf('')).toBeUndefined();
  expect(table.rowOf('a'.repeat(100_000))).toBeUndefined();
  expect(tableOf([]).rowOf('a')).toBeUndefined();
});
