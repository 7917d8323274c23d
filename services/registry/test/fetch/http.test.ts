import { hash } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from '@jest/globals';
import { VALIDATORS } from '../../src/fetch/source-reader.ts';
import { parseSource } from '../../src/source/source.ts';
import { type FakeUpstream, send } from '../support/fake-upstream.ts';
import { openUpstream } from '../support/open-registry.ts';
import { failureOf, fetchFiles, fetchFrom, LIMITS } from './fetching.ts';

const BODY = JSON.stringify([{ name: 'one' }]);
/** For servers that never send a complete response. */
const IMPATIENT = { ...LIMITS, deadlineMs: 300 };

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await openUpstream(0);
});

const bodyOf = async (url = upstream.url) => (await fetchFiles(url)).texts.join();

test.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['GZIP', Buffer.concat([gzipSync(BODY.slice(0, 5)), gzipSync(BODY.slice(5))])],
  ['br', brotliCompressSync(BODY)],
  ['identity', Buffer.from(BODY)],
])('a body in %s is the same document as in any coding', async (coding, encoded) => {
  upstream.answer = (_req, res) => send(res, 200, encoded, { 'content-encoding': coding });
  const { files, texts } = await fetchFiles(upstream.url);
  const digest = hash('sha256', BODY);
  expect(files).toMatchObject({ digest, documents: [{ digest, bytes: BODY.length }], recordDocuments: [0] });
  expect(texts).toEqual([BODY]);
  expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'accept-encoding': 'gzip, br' });
});

test('a fetch is conditional, and 304 need not repeat the validators', async () => {
  upstream.answer = (req, res) => {
    const known = req.headers['if-none-match'] === '"v1"' && req.headers['if-modified-since'] === 'then';
    if (known) res.writeHead(304).end();
    else send(res, 200, BODY, { etag: '"v1"', 'last-modified': 'then' });
  };
  const known = await fetchFiles(upstream.url);
  expect(known.validators).toEqual({ root: { etag: '"v1"', lastModified: 'then' } });
  const again = await fetchFrom(upstream.url, { known });
  expect(again).toEqual({
    status: 'unchanged',
    digest: known.files.digest,
    validators: known.validators,
    freshForMs: undefined,
  });
  expect(VALIDATORS.parse(JSON.parse(JSON.stringify(again.validators)))).toEqual(known.validators);
});

test('the same bytes count as unchanged if the server ignores conditions, and the latest validators are kept', async () => {
  let version = 1;
  upstream.answer = (_req, res) => send(res, 200, BODY, { etag: `"v${version++}"` });
  const known = await fetchFiles(upstream.url);
  const again = await fetchFrom(upstream.url, { known });
  expect(again).toMatchObject({ status: 'unchanged', validators: { root: { etag: '"v2"' } } });
});

test.each([
  ...[304, 400, 401, 404, 500, 503].map((status) => [status, 'http_status', undefined, undefined] as const),
  [429, 'rate_limited', '60', 60_000] as const,
  [503, 'http_status', '120', 120_000] as const,
])('status %i fails as %s, with Retry-After: %s', async (status, code, header, retryAfterMs) => {
  upstream.answer = (_req, res) => res.writeHead(status, header ? { 'retry-after': header } : {}).end();
  const message = expect.stringContaining(status === 429 ? '' : String(status));
  expect(await failureOf(upstream.url)).toMatchObject({ code, message, retryAfterMs });
});

test('a fetch reports the freshness lifetime of a response, also of a 304', async () => {
  const headers = { etag: '"v1"', 'cache-control': 'public, max-age=300', age: '100' };
  upstream.answer = (req, res) => {
    if (req.headers['if-none-match']) res.writeHead(304, { 'cache-control': 'max-age=60' }).end();
    else send(res, 200, BODY, headers);
  };
  const first = await fetchFrom(upstream.url);
  expect(first.freshForMs).toBe(200_000);
  const again = await fetchFrom(upstream.url, { known: await fetchFiles(upstream.url) });
  expect(again).toMatchObject({ status: 'unchanged', freshForMs: 60_000 });
});

test('a body with any content type is accepted', async () => {
  const pointer = JSON.stringify({ deprecated_full_payload: true, manifest: 'registry-manifest.json' });
  upstream.answer = (_req, res) => send(res, 200, pointer, { 'content-type': 'text/html' });
  expect(await bodyOf()).toBe(pointer);
});

test('credentials of a URL are sent to its origin only, and are not in its label', async () => {
  const other = await openUpstream(0);
  other.serve(JSON.parse(BODY));
  const url = upstream.url.replace('http://', 'http://user:p%40ss@');
  upstream.answer = (_req, res) => res.writeHead(302, { location: other.url }).end();
  expect(await bodyOf(url)).toBe(BODY);
  const sent = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(sent);
  expect(other.requests.at(-1)?.headers.authorization).toBeUndefined();
  expect(parseSource(`${url}?token=secret`).label).toBe(upstream.url);
});

/** Writes until the client has disconnected. */
function flood(res: ServerResponse, write: () => void): void {
  const more = setInterval(write, 1);
  res.on('close', () => clearInterval(more));
}

const slow: [string, RequestListener][] = [
  ['sends no headers', () => {}],
  ['sends its body slowly', (_req, res) => flood(res.writeHead(200), () => res.write(' '))],
  ['redirects slowly', (req, res) => setTimeout(() => res.writeHead(302, { location: req.url }).end('moved'), 150)],
];

test.each(slow)('a fetch fails as timeout when upstream %s', async (_how, answer) => {
  upstream.answer = answer;
  expect(await failureOf(upstream.url, { limits: IMPATIENT })).toMatchObject({ code: 'timeout' });
});

test('a fetch is aborted by its signal', async () => {
  const stop = new AbortController();
  upstream.answer = () => stop.abort(new Error('stopping'));
  await expect(fetchFrom(upstream.url, { signal: stop.signal })).rejects.toThrow('stopping');
  await expect(fetchFrom(upstream.url, { signal: stop.signal })).rejects.toThrow('stopping');
});

const encoded = (coding: string, body: string | Buffer): RequestListener => {
  return (_req, res) => send(res, 200, body, { 'content-encoding': coding });
};
const bomb = Buffer.alloc(50_000_000);
const broken: [code: string, how: string, RequestListener][] = [
  ['truncated', 'a body that ends between chunks', (_req, res) => res.writeHead(200).write('[', () => res.destroy())],
  ['truncated', 'a part of gzip', encoded('gzip', gzipSync(BODY.repeat(50)).subarray(0, 40))],
  ['truncated', 'a part of br', encoded('br', brotliCompressSync(BODY.repeat(50)).subarray(0, 20))],
  ['truncated', 'nothing as gzip', encoded('gzip', '')],
  ['truncated', 'gzip that is none', encoded('gzip', 'no gzip')],
  ['not_json', 'a coding that was not requested', encoded('zstd', BODY)],
  ['too_large', 'a long body', (_req, res) => send(res, 200, ' '.repeat(LIMITS.maxBytes + 1))],
  ['too_large', 'a gzip bomb', encoded('gzip', gzipSync(bomb))],
  ['too_large', 'a br bomb', encoded('br', brotliCompressSync(bomb, { params: { 1: 4 } }))],
  ['too_large', 'empty gzip members', encoded('gzip', Buffer.concat(new Array(20_000).fill(gzipSync(''))))],
  ['too_large', 'an endless body', (_req, res) => flood(res.writeHead(200), () => res.write(Buffer.alloc(50_000)))],
  [
    'too_large',
    'endless gzip',
    (_req, res) => {
      const gzip = createGzip();
      gzip.pipe(res.writeHead(200, { 'content-encoding': 'gzip' }));
      flood(res, () => gzip.write(Buffer.alloc(50_000)));
    },
  ],
];

test.each(broken)('a fetch fails as %s when upstream sends %s', async (code, _how, answer) => {
  upstream.answer = answer;
  expect(await failureOf(upstream.url)).toMatchObject({ code });
});

test('a body may be as long as the limit', async () => {
  upstream.answer = (_req, res) => send(res, 200, ' '.repeat(LIMITS.maxBytes));
  expect(await bodyOf()).toHaveLength(LIMITS.maxBytes);
});
