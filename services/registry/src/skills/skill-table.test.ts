import { expect, test } from '@jest/globals';
import { hashId } from '../memory/cyrb53.ts';
import { createSlots, nameOf, SkillTable } from './skill-table.ts';

function tableOf(
  skills: { id: string; name: string }[],
  made = createSlots(Float64Array.from(skills, ({ id }) => hashId(id))),
): SkillTable {
  const pieces = skills.map((skill) => Buffer.from(JSON.stringify(skill)));
  const lengths = Uint32Array.from(pieces, ({ length }) => length);
  const starts = lengths.map((_, row) => lengths.subarray(0, row).reduce((sum, length) => sum + length, 0));
  return new SkillTable({ chunks: [Buffer.concat(pieces)], starts, lengths, ...made });
}

test('a skill is found only by its exact id', () => {
  // Every id is looked for from the first slot on.
  const table = tableOf([{ id: 'a', name: 'b' }], { slots: Uint32Array.of(1, 0), spread: [0, 0] });
  expect(table.rowOf('a","name":"b')).toBeUndefined();
  expect(table.rowOf('a')).toBe(0);
});

test.each(['plain', 'a "quoted" name', 'back\\slash"', '剪口播'])(
  'the name %j is read from the JSON of a skill',
  (name) => {
    expect(nameOf(Buffer.from(JSON.stringify({ id: 'a', name })))).toBe(name);
  },
);

test('the table of skills has no skill beyond its rows, nor under an empty or very long id', () => {
  const table = tableOf([{ id: 'a', name: 'a' }]);
  expect(() => table.jsonAt(1)).toThrow(RangeError);
  expect(() => table.idAt(-1)).toThrow(RangeError);
  expect(table.rowOf('')).toBeUndefined();
  expect(table.rowOf('a'.repeat(100_000))).toBeUndefined();
  expect(tableOf([]).rowOf('a')).toBeUndefined();
});
