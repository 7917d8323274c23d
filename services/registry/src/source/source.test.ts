import { expect, test } from '@jest/globals';
import { parseSources, SHIPPED_SOURCE, sourcesKey } from './source.ts';

const labelsOf = (text: string) => parseSources(text).map(({ label }) => label);

test('a list of sources is separated by commas and white space', () => {
  const text = ' https://a.example/1.json,https://b.example/2.json ,\n\tfile:///data/registry.json ';
  expect(labelsOf(text)).toEqual(['https://a.example/1.json', 'https://b.example/2.json', 'file:registry.json']);
});

test.each([
  [
    'https://u:secret@a.example/r.json?v=1 https://a.example/r.json?v=2 file:///x/r.json file:///y/r.json',
    ['https://a.example/r.json', 'https://a.example/r.json#2', 'file:r.json', 'file:r.json#2'],
  ],
  ['file:///x/r file:///y/r file:///z/r%232', ['file:r', 'file:r#2', 'file:r#2#2']],
])('the sources %s have labels that differ, without credentials, queries and folders', (text, labels) => {
  expect(labelsOf(text)).toEqual(labels);
});

test.each([
  ['nothing', ''],
  ['nothing but commas', ' , '],
  ['a source twice', 'https://a.example/r.json,https://a.example/r.json'],
  ['a source twice in two spellings', 'https://a.example/r.json,https://A.example:443/./r.json'],
  ['a file twice', 'file:///a/r.json file:/a/r.json'],
  ['another protocol', 'https://a.example/r.json ftp://a.example/r.json'],
  ['text that is not a URL', 'registry.json'],
  ['credentials that cannot be decoded', 'https://a%zz:b@a.example/'],
  ['more than sixteen', Array.from({ length: 17 }, (_, at) => `https://a.example/${at}`).join()],
])('a list of sources is refused with %s', (_what, text) => {
  // Where Node itself throws it, the error is not of this realm's class.
  expect(() => parseSources(text)).toThrow(expect.objectContaining({ name: 'TypeError' }));
});

test('a list of sources may have sixteen', () => {
  expect(parseSources(Array.from({ length: 16 }, (_, at) => `https://a.example/${at}`).join())).toHaveLength(16);
});

test('the key of a list of sources depends on all of them and on their order', () => {
  const [a, b] = ['https://a.example/', 'https://b.example/'];
  const keys = [a, `${a} ${b}`, `${b} ${a}`].map((text) => sourcesKey(parseSources(text)));
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{16}$/);
  expect(sourcesKey([SHIPPED_SOURCE])).toBe('shipped');
});
