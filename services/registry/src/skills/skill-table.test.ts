import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSlots, SkillTable } from './skill-table.ts';

function tableOf(skills: { id: string }[]): SkillTable {
  const texts = skills.map((skill) => JSON.stringify(skill));
  const list = Buffer.from(`[${texts.join()}]`);
  const offsets = new Uint32Array(skills.length + 1);
  offsets[0] = 1;
  for (const [row, text] of texts.entries()) offsets[row + 1] = (offsets[row] as number) + Buffer.byteLength(text) + 1;
  return new SkillTable({ list, offsets, slots: createSlots(list, offsets) });
}

const ID = fc.stringMatching(/^[\w.~-]{1,12}$/);

test('the table of skills finds what a map finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(ID, { maxLength: 60 }), fc.array(fc.oneof(ID, fc.string())), (ids, others) => {
      const table = tableOf(ids.map((id) => ({ id, name: `${id}, né "${id}"` })));
      const map = new Map(ids.map((id, row) => [id, row]));
      for (const id of [...ids, ...others]) expect(table.rowOf(id)).toBe(map.get(id));
      expect(table.count).toBe(ids.length);
      for (const [id, row] of map) {
        expect(table.idAt(row)).toBe(id);
        expect(JSON.parse(table.jsonAt(row).toString())).toMatchObject({ id });
      }
    }),
  );
});

test('the table of skills finds no skill by more of its JSON than the id', () => {
  // As only one slot is empty, every row is compared.
  const list = Buffer.from('[{"id":"a","name":"b","x":"c"}]');
  const table = new SkillTable({ list, offsets: Uint32Array.of(1, list.length), slots: Uint32Array.of(1, 0) });
  expect(table.rowOf('a","name":"b')).toBeUndefined();
  expect(table.rowOf('a')).toBe(0);
});

test('the table of skills has no skill beyond its rows, under an empty id or under a very long one', () => {
  const table = tableOf([{ id: 'a' }]);
  expect(() => table.jsonAt(1)).toThrow(RangeError);
  expect(() => table.idAt(-1)).toThrow(RangeError);
  expect(table.rowOf('')).toBeUndefined();
  expect(table.rowOf('a'.repeat(100_000))).toBeUndefined();
  expect(tableOf([]).rowOf('a')).toBeUndefined();
});
