import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from '@jest/globals';
import { type FakeUpstream, registryOf, send } from '../support/fake-upstream.ts';
import { openUpstream } from '../support/open-registry.ts';
import { openFolder } from '../support/opened.ts';
import { failureOf, fetchFiles, fetchFrom } from './fetching.ts';

const skillsOf = (prefix: string, count = 2) => registryOf(count, prefix).skills;

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await openUpstream(0);
});

function serve(files: Record<string, unknown>): void {
  upstream.serveFiles(
    Object.fromEntries(Object.entries(files).map(([path, document]) => [path, JSON.stringify(document)])),
  );
}

/** Serves pages by the value of a query parameter; the page without one is the first. */
function servePages(parameter: string, pages: Record<string, unknown>): void {
  upstream.answer = (req, res) => {
    const value = new URL(req.url ?? '', upstream.url).searchParams.get(parameter) ?? '';
    const page = pages[value];
    if (page === undefined) send(res, 404, '{}');
    else send(res, 200, JSON.stringify(page));
  };
}

const paths = () => upstream.requests.map(({ url }) => url);

test('the chunks that a file lists are fetched in its order, and the file itself has no records', async () => {
  const chunks = ['chunks/a.json', { path: './chunks/b.json' }];
  serve({
    '/registry.json': { totalSkills: 4, chunks },
    '/chunks/a.json': skillsOf('a'),
    '/chunks/b.json': { skills: skillsOf('b') },
  });
  const { files, texts } = await fetchFiles(upstream.url);
  expect(files.recordDocuments).toEqual([1, 2]);
  expect(texts.slice(1)).toEqual([JSON.stringify(skillsOf('a')), JSON.stringify({ skills: skillsOf('b') })]);
});

test('a file with records and chunks has records too', async () => {
  serve({ '/registry.json': { skills: skillsOf('a'), chunks: ['b.json'] }, '/b.json': skillsOf('b') });
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0, 1]);
});

test.each([
  ['cursor', (cursor: string | null) => ({ nextCursor: cursor })],
  ['cursor', (cursor: string | null) => ({ metadata: { next_cursor: cursor } })],
  ['pageToken', (cursor: string | null) => ({ nextPageToken: cursor })],
])('pages are fetched one after another with the parameter %s (case %#)', async (parameter, paging) => {
  servePages(parameter, {
    '': { items: skillsOf('a'), ...paging('b c') },
    'b c': { items: skillsOf('b'), ...paging('d') },
    d: { items: skillsOf('d'), ...paging(null) },
  });
  const { files } = await fetchFiles(`${upstream.url}?limit=2`);
  expect(files.recordDocuments).toEqual([0, 1, 2]);
  expect(paths()).toEqual([
    '/registry.json?limit=2',
    `/registry.json?limit=2&${parameter}=b+c`,
    `/registry.json?limit=2&${parameter}=d`,
  ]);
});

test('numbered pages and pages behind an offset are fetched', async () => {
  servePages('page', {
    '': { skills: skillsOf('a'), pagination: { page: 1, totalPages: 2 } },
    2: { skills: skillsOf('b'), pagination: { page: 2, totalPages: 2 } },
  });
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0, 1]);
  servePages('offset', {
    '': { skills: skillsOf('a'), total: 3, offset: 0, limit: 2 },
    2: { skills: skillsOf('b', 1), total: 3, offset: 2, limit: 2 },
  });
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0, 1]);
});

test('pages are followed by their addresses', async () => {
  serve({
    '/registry.json': { results: skillsOf('a'), next: '/more/2.json' },
    '/more/2.json': { results: skillsOf('b'), next: '/more/3.json' },
    '/more/3.json': { results: [], next: null },
  });
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0, 1, 2]);
});

test.each<[string, number, number, Record<string, unknown>]>([
  [
    'a cursor that repeats',
    2,
    2,
    { '': { items: skillsOf('a'), nextCursor: 'b' }, b: { items: skillsOf('b'), nextCursor: 'b' } },
  ],
  [
    'a page that repeats',
    1,
    2,
    { '': { items: skillsOf('a'), nextCursor: 'b' }, b: { items: skillsOf('a'), nextCursor: 'b' } },
  ],
  [
    'a cycle',
    2,
    3,
    {
      '': { items: skillsOf('a'), nextCursor: 'b' },
      b: { items: skillsOf('b'), nextCursor: 'c' },
      c: { items: skillsOf('a'), nextCursor: 'b' },
    },
  ],
])('pages end at %s: %i files after %i requests', async (_what, count, requests, pages) => {
  servePages('cursor', pages);
  const { files } = await fetchFiles(upstream.url);
  expect(files.recordDocuments).toHaveLength(count);
  expect(upstream.requests).toHaveLength(requests);
});

test('pages without an end are fetched up to two thousand files', async () => {
  upstream.answer = (req, res) => {
    const page = Number(new URL(req.url ?? '', upstream.url).searchParams.get('cursor') ?? 0);
    send(res, 200, JSON.stringify({ items: [{ name: `skill-${page}` }], nextCursor: String(page + 1) }));
  };
  const { files } = await fetchFiles(upstream.url);
  expect(files.documents).toHaveLength(2_000);
}, 60_000);

test('pages that arrive too slowly fail at the deadline of the source', async () => {
  upstream.answer = async (req, res) => {
    const page = Number(new URL(req.url ?? '', upstream.url).searchParams.get('cursor') ?? 0);
    await sleep(50);
    send(res, 200, JSON.stringify({ items: [{ name: `skill-${page}` }], nextCursor: String(page + 1) }));
  };
  const limits = { deadlineMs: 30_000, maxBytes: 100_000, sourceDeadlineMs: 500 };
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'timeout' });
});

test('an unchanged first page does not hide that a later page changed', async () => {
  const pages = (last: string) => ({
    '/registry.json': { skills: skillsOf('a'), chunks: ['b.json'] },
    '/b.json': skillsOf(last),
  });
  serve(pages('b'));
  const known = await fetchFiles(upstream.url);
  expect(await fetchFrom(upstream.url, { known })).toMatchObject({ status: 'unchanged' });
  serve(pages('changed'));
  const now = await fetchFiles(upstream.url, { known });
  expect(upstream.requests.at(-2)?.headers['if-none-match']).toBe(known.validators.root.etag);
  expect(now.texts[1]).toBe(JSON.stringify(skillsOf('changed')));
  expect(now.files.digest).not.toBe(known.files.digest);
});

test('pages that were missing for a moment are fetched, although the first page is unchanged', async () => {
  const first = { skills: skillsOf('a'), next: '/2.json' };
  serve({ '/registry.json': first, '/2.json': { error: 'try again', next: null } });
  const known = await fetchFiles(upstream.url);
  expect(known.files.recordDocuments).toEqual([0]);
  serve({ '/registry.json': first, '/2.json': { skills: skillsOf('b') } });
  expect((await fetchFiles(upstream.url, { known })).files.recordDocuments).toEqual([0, 1]);
});

test.each<[string, unknown[], string]>([
  ['itself', ['registry.json'], 'bad_manifest'],
  ['a file twice', ['a.json', './a.json'], 'bad_manifest'],
  ['a local file', ['file:///etc/passwd'], 'bad_manifest'],
  ['a script', ['javascript:alert(1)'], 'bad_manifest'],
  ['an invalid URL', ['http://['], 'bad_manifest'],
  ['a missing file', ['a.json'], 'http_status'],
])('a source fails when a chunk is %s', async (_what, chunks, code) => {
  serve({ '/registry.json': { skills: skillsOf('a'), chunks } });
  expect(await failureOf(upstream.url)).toMatchObject({ code });
});

test('a chunk that lists chunks is not followed', async () => {
  serve({ '/registry.json': { chunks: ['a.json'] }, '/a.json': { chunks: ['b.json', 'registry.json'] } });
  await fetchFiles(upstream.url);
  expect(paths()).toEqual(['/registry.json', '/a.json']);
});

test.each(['chunks', 'next'])(
  '%s at another origin with an internal address are refused, without credentials',
  async (name) => {
    const other = await openUpstream(2);
    const rest = name === 'chunks' ? { chunks: [other.url] } : { next: other.url };
    serve({ '/registry.json': { skills: skillsOf('a'), ...rest } });
    expect(await failureOf(upstream.url)).toMatchObject({ code: 'private_address' });
    expect(other.requests).toEqual([]);
    const url = upstream.url.replace('http://', 'http://user:secret@');
    const { files } = await fetchFiles(url, { isInternal: () => false });
    expect(files.recordDocuments).toEqual([0, 1]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  },
);

test('a part that is too large fails the source', async () => {
  serve({ '/registry.json': { chunks: ['a.json'] }, '/a.json': [{ name: 'x'.repeat(200_000) }] });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
});

test('parts that are too large together fail the source', async () => {
  const mebibytes = 1024 * 1024;
  const part = gzipSync(`[${' '.repeat(60 * mebibytes)}]`);
  const chunks = Array.from({ length: 9 }, (_, at) => `${at}.json`);
  upstream.answer = (req, res) => {
    if (req.url === '/registry.json') send(res, 200, JSON.stringify({ chunks }));
    else send(res, 200, part, { 'content-encoding': 'gzip' });
  };
  const limits = { deadlineMs: 30_000, maxBytes: 64 * mebibytes };
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'too_large' });
}, 60_000);

test('chunks of a local file are read beside it, but no pages of an API', async () => {
  const folder = openFolder();
  const write = (name: string, document: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(document));
    return pathToFileURL(join(folder, name)).href;
  };
  write('b.json', skillsOf('b'));
  const whole = write('a.json', { skills: skillsOf('a'), chunks: ['b.json'] });
  expect((await fetchFiles(whole)).files.recordDocuments).toEqual([0, 1]);
  mkdirSync(join(folder, 'inner'));
  expect(await failureOf(write('inner/c.json', { chunks: ['../b.json'] }))).toMatchObject({ code: 'bad_manifest' });
  for (const next of [{ nextCursor: 'b' }, { next: 'https://example.com/?page=2' }]) {
    const { files } = await fetchFiles(write('d.json', { skills: skillsOf('a'), ...next }));
    expect(files.recordDocuments).toEqual([0]);
  }
});
