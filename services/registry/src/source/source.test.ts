import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { expect, test } from '@jest/globals';
import { readRegistryConfig } from '../config.ts';
import { parseSources, SHIPPED_SOURCE, sourcesKey, toAddress } from './source.ts';

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
])('a list of sources is refused with %s', (_what, text) => {
  // Where Node itself throws it, the error is not of this realm's class.
  expect(() => parseSources(text)).toThrow(expect.objectContaining({ name: 'TypeError' }));
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `https://a:secret@a.example/${at}`).join();

test('a list of sources may have a thousand', () => {
  expect(parseSources(many(1_000))).toHaveLength(1_000);
});

test('a list of more sources is refused with their number, which the message of the configuration repeats', () => {
  const message = '1,203 sources are given, at most 1,000 are allowed';
  expect(() => parseSources(many(1_203))).toThrow(message);
  const read = () => readRegistryConfig({ REGISTRY_SOURCE_URL: many(1_203) });
  expect(read).toThrow(message);
  expect(read).not.toThrow('secret');
});

test('sources may be read from a file, as they may have passwords', () => {
  const dir = makeDataDir('sources-');
  const file = join(dir, 'urls');
  writeFileSync(file, `${many(2)}\n`);
  const { sources } = readRegistryConfig({ REGISTRY_SOURCE_URL_FILE: file });
  rmSync(dir, { recursive: true });
  expect(sources).toHaveLength(2);
});

test.each([
  ['https://a.example/r.json', 'https://a.example/r.json'],
  ['https://a.example/r.json#2', 'https://a.example/r.json'],
  ['file:r.json', undefined],
  ['shipped', undefined],
])('the public address of the source %s is %s', (label, address) => {
  expect(toAddress(label)).toBe(address);
});

test('the key of a list of sources depends on all of them and on their order', () => {
  const [a, b] = ['https://a.example/', 'https://b.example/'];
  const keys = [a, `${a} ${b}`, `${b} ${a}`].map((text) => sourcesKey(parseSources(text)));
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{16}$/);
  expect(sourcesKey([SHIPPED_SOURCE])).toBe('shipped');
});
