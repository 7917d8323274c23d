import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../src/json/json-error.ts';
import { findMismatch } from '../src/json/json-reader.ts';
import { readJson } from '../src/json/json-text.ts';
import { entriesOf, preview, sizeOf } from '../src/json/json-tree.ts';

test.each([
  ['', 1, 1, 'Expected a value, found the end of the text.'],
  ['{"a": 1,}', 1, 9, 'Expected a key after the comma, found }.'],
  ['[1, 2,\n]', 2, 1, 'Expected a value after the comma, found ].'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'Expected "," or "}", found ".'],
  ['{a: 1}', 1, 2, 'Expected a key in double quotes, found a.'],
  ["{'a': 1}", 1, 2, "Expected a key in double quotes, found '. Strings have double quotes."],
  ['{"a" 1}', 1, 6, 'Expected ":" after the key, found 1.'],
  ['[True]', 1, 2, 'Expected a value, found True. Write true.'],
  ['[01]', 1, 2, 'Expected a value, found 01.'],
  ['["a\nb"]', 1, 4, 'Expected a closing quote in this line, found a new line.'],
  ['["\\x"]', 1, 3, 'Expected an escape such as \\n, \\" or \\u0041, found \\.'],
  ['[1] 2', 1, 5, 'Expected the end of the text, found 2.'],
  ['{"a": [1', 1, 9, 'Expected "," or "]", found the end of the text.'],
  ['["😀", x]', 1, 7, 'Expected a value, found x.'],
  ['[\u202e]', 1, 2, 'Expected a value, found ⟨U+202E⟩.'],
])('says where %j ceases to be JSON', (text, line, column, message) => {
  expect(parseJson(text)).toEqual({ error: { line, column, message } });
});

test('finds an error exactly where JSON.parse does', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '}', ']', ':', '\\', 'e', '-', '\n', '.', '0'))
    .map(([json, at, length, inserted]) => {
      const start = at % (json.length + 1);
      return json.slice(0, start) + inserted + json.slice(start + length);
    });
  fc.assert(
    fc.property(fc.oneof(broken, fc.json(), fc.string()), (text) => {
      expect(findMismatch(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 3_000 },
  );
});

test('reads a million brackets without an overflow', () => {
  expect(findMismatch('['.repeat(1_000_000))?.at).toBe(1_000_000);
  expect(findMismatch(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)).toBeUndefined();
});

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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
