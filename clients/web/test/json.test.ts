import { expect, test } from '@jest/globals';
import { exactJson } from '../src/api/exact-json.ts';
import { entriesOf, formatJson, hasEntries, sizeOf } from '../src/json/json-values.ts';

test('copies a string as the text it is, and cannot copy what nests too deeply to be written', () => {
  expect(formatJson('a string')).toBe('a string');
  expect(formatJson([1])).toBe('[\n  1\n]');
  let value: unknown = 1;
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  expect(formatJson(value)).toBeNull();
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

test('keeps numbers as they are written', () => {
  const text = '[98765432109876543210,3.0,-0,0.2000000000000000111,2E5,0.0000001,7]';
  const value = exactJson.parse(text) as unknown[];
  expect(formatJson(value)?.replace(/\s/g, '')).toBe(text);
  expect(value.map(hasEntries)).toEqual(value.map(() => false));
  expect(value.at(-1)).toBe(7);
});
