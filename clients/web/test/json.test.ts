import { expect, test } from '@jest/globals';
import { entriesOf, preview, readJson, sizeOf } from '../src/json/json-tree.ts';

test('shows a text that is no JSON as the text it is', () => {
  expect(readJson({ text: '{"a":1}' })).toEqual({ value: { a: 1 }, text: '{"a":1}' });
  expect(readJson({ text: 'not JSON' })).toEqual({ value: 'not JSON', text: 'not JSON' });
  expect(readJson({ value: 'a string' })).toEqual({ value: 'a string', text: 'a string' });
  expect(readJson({ value: [1] }).text).toBe('[\n  1\n]');
});

test('cannot copy what nests too deeply to be written, and still shows it', () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  expect(readJson({ value }).text).toBeNull();
  expect(preview([value])).toBe('[ […] ]');
});

test('previews a container in one short line', () => {
  expect(preview({})).toBe('{}');
  expect(preview({ id: 1, name: 'a', tags: ['x'], nested: {}, none: null, more: 1 })).toBe(
    '{ id: 1, name: "a", tags: […], nested: {}, none: null, … }',
  );
  expect(preview(['a'.repeat(100), 2])).toBe(`[ "${'a'.repeat(24)}…", 2 ]`);
  expect(preview(Array.from({ length: 1_000_000 }, (_, index) => `${'w'.repeat(24)}${index}`)).length).toBeLessThan(
    130,
  );
});

test('takes the first entries of arrays and objects', () => {
  expect(entriesOf(['a', 'b', 'c'], 2)).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
  expect(entriesOf(JSON.parse('{"__proto__": 1, "b": 2}'), 5)).toEqual([
    ['__proto__', 1],
    ['b', 2],
  ]);
  expect([sizeOf([1, 2]), sizeOf({ a: 1 })]).toEqual([2, 1]);
});
