import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '@agent-fleet/shared/logger';
import { beforeEach, expect, test } from '@jest/globals';
import { expandSources } from '../../src/fetch/expand-sources.ts';
import { fetchSource } from '../../src/fetch/fetch-source.ts';
import { parseSources, type Source, sourcesKey } from '../../src/source/source.ts';
import { type FakeUpstream, fails } from '../support/fake-upstream.ts';
import { openUpstream } from '../support/open-registry.ts';
import { openFolder } from '../support/opened.ts';
import { LIMITS } from './fetching.ts';

const logger = createLogger('test', 'silent');
const { signal } = new AbortController();

let upstream: FakeUpstream;
let folder: string;
let listing: string;
beforeEach(async () => {
  upstream = await openUpstream(0);
  folder = openFolder();
  listing = new URL('sources.json', upstream.url).href;
});

function expand(urls: string, dataDir?: string): Promise<Source[]> {
  return expandSources(parseSources(urls), { limits: LIMITS, signal, logger, dataDir });
}

const labelsOf = async (urls: string) => (await expand(urls)).map(({ label }) => label);

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return pathToFileURL(file).href;
}

const serveListing = (entries: unknown) => upstream.serveFiles({ '/sources.json': JSON.stringify(entries) });

test('a local file with addresses is replaced by the sources that it names, relative ones beside it', async () => {
  const url = write('list.json', ['a.json', './b/c.json', 'https://example.com/d.json?token=secret', 'a.json']);
  const sources = await expand(`https://example.org/e.json,${url}`);
  expect(sources.map(({ label }) => label)).toEqual([
    'https://example.org/e.json',
    'file:a.json',
    'file:c.json',
    'https://example.com/d.json',
  ]);
  expect(sources[2]?.location).toEqual({ file: join(folder, 'b/c.json') });
});

test('a listing at a web address is replaced by its sources', async () => {
  serveListing(['registry.json', '/other.json', 'https://example.com/d.json']);
  const origin = new URL(upstream.url).origin;
  expect(await labelsOf(listing)).toEqual([
    `${origin}/registry.json`,
    `${origin}/other.json`,
    'https://example.com/d.json',
  ]);
});

test.each([
  ['a registry', [{ name: 'x' }]],
  ['mixed', ['a.json', { name: 'x' }]],
  ['incomplete', '["a.json",'],
  ['empty', ''],
])('a file that is %s stays a source', async (_what, content) => {
  const url = write('sources.json', content);
  upstream.serveFiles({ '/sources.json': typeof content === 'string' ? content : JSON.stringify(content) });
  expect(await labelsOf(`${url},${listing}`)).toEqual(['file:sources.json', listing]);
});

test('a file that is missing stays a source, and is not fetched unless its name is that of a listing', async () => {
  const missing = pathToFileURL(join(folder, 'missing.json')).href;
  const sources = parseSources(`${missing},${upstream.url}`);
  expect(await expand(`${missing},${upstream.url}`)).toEqual(sources);
  expect(sourcesKey(await expand(`${missing},${upstream.url}`))).toBe(sourcesKey(sources));
  expect(upstream.requests).toEqual([]);
});

test('a listing that cannot be fetched is the last one, else an error without secrets', async () => {
  serveListing(['a.json']);
  const url = listing.replace('http://', 'http://user:secret@').concat('?token=secret');
  const before = await expand(url, folder);
  fails(upstream);
  expect(await expand(url, folder)).toEqual(before);
  const error = await expand(url).catch(String);
  expect(error).toMatch(
    /^ConfigError: REGISTRY_SOURCE_URL: the listing http:.*sources\.json cannot be read \(http_status\)/,
  );
  expect(error).not.toContain('secret');
});

test.each([['<html>'], ['[]'], [`["a.json"]${' '.repeat(1024 * 1024)}`]])(
  'a listing that is none for a moment is the last one: %.10s',
  async (content) => {
    serveListing(['a.json']);
    const before = await expand(listing, folder);
    upstream.serveFiles({ '/sources.json': content });
    expect(await expand(listing, folder)).toEqual(before);
    expect(await labelsOf(listing)).toEqual([listing]);
  },
);

test.each([
  ['a local file', ['file:///etc/passwd'], 'refers to a URL that is not http or https'],
  ['a script', ['javascript:alert(1)'], 'refers to a URL that is not http or https'],
  ['an invalid address', ['a.json', 'http://['], 'names an invalid address at 1'],
  [
    'an address with credentials that cannot be decoded',
    ['http://a%zz:b@example.com/'],
    'names an invalid address at 0',
  ],
])('a listing at a web address that names %s is refused', async (_what, entries, message) => {
  serveListing(entries);
  await expect(expand(listing)).rejects.toThrow(message);
});

test('a listing of 10,000 sources is refused with its number', async () => {
  const entries = Array.from({ length: 10_000 }, (_, at) => `${at}.json`);
  const message = '10,000 sources are given, at most 1,000 are allowed';
  await expect(expand(write('list.json', entries))).rejects.toThrow(message);
  serveListing(entries);
  await expect(
    expandSources(parseSources(listing), {
      limits: { ...LIMITS, maxBytes: 1_000_000 },
      signal,
      logger,
      dataDir: undefined,
    }),
  ).rejects.toThrow(message);
});

test('several listings have a thousand sources together', async () => {
  const half = (prefix: string) =>
    write(
      `${prefix}.json`,
      Array.from({ length: 600 }, (_, at) => `${prefix}${at}.json`),
    );
  await expect(expand(`${half('a')},${half('b')}`)).rejects.toThrow('1,200 sources are given');
});

test('only sources at the origin of a listing may have an internal address', async () => {
  const other = await openUpstream(1);
  serveListing(['registry.json', other.url]);
  const [same, foreign] = await expand(listing);
  upstream.serve([{ name: 'x' }]);
  const fetched = (source: Source | undefined) => fetchSource(source as Source, undefined, LIMITS, signal);
  expect(await fetched(same)).toMatchObject({ status: 'fetched' });
  await expect(fetched(foreign)).rejects.toMatchObject({ code: 'private_address' });
  expect(other.requests).toEqual([]);
});
