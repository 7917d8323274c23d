import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseSource } from '../../src/upstream/source.ts';
import { VALIDATORS } from '../../src/upstream/validators.ts';
import { type FakeUpstream, send, startUpstream } from '../fake-upstream.ts';
import { failureOf, fetchFiles, fetchFrom, LIMITS, textOf } from './fetching.ts';

const BODY = JSON.stringify([{ name: 'one' }]);
/** Only where the server never gives a whole answer. */
const IMPATIENT = { ...LIMITS, deadlineMs: 300 };

let upstream: FakeUpstream;
let other: FakeUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
  other = await startUpstream(JSON.parse(BODY));
});
afterAll(() => Promise.all([upstream.close(), other.close()]));

const bodyOf = async (url = upstream.url) => (await fetchFiles(url)).texts.join();

test.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['GZIP', Buffer.concat([gzipSync(BODY.slice(0, 5)), gzipSync(BODY.slice(5))])],
  ['br', brotliCompressSync(BODY)],
  ['identity', Buffer.from(BODY)],
])('fetching over HTTP reads a body in %s: the same document whatever the coding', async (coding, encoded) => {
  upstream.answer = (_req, res) => send(res, 200, encoded, { 'content-encoding': coding });
  const { files, texts } = await fetchFiles(upstream.url);
  const digest = hash('sha256', BODY);
  expect(files).toMatchObject({ digest, documents: [{ digest, bytes: BODY.length }], recordDocuments: [0] });
  expect(texts).toEqual([BODY]);
  expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'accept-encoding': 'gzip, br' });
});

test('fetching over HTTP packs into memory of its own, one gzip member', async () => {
  upstream.answer = (_req, res) => send(res, 200, BODY.repeat(500));
  const document = (await fetchFiles(upstream.url)).files.documents[0];
  expect(document?.packed.byteLength).toBe(document?.packed.buffer.byteLength);
  expect(document?.packed.length).toBeLessThan(1_000);
  expect(document && textOf(document)).toBe(BODY.repeat(500));
});

test('fetching over HTTP asks conditionally and understands 304, which need not repeat the validators', async () => {
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

test('fetching over HTTP takes the same bytes for unchanged where the server knows no conditions, and keeps the latest validators', async () => {
  let version = 1;
  upstream.answer = (_req, res) => send(res, 200, BODY, { etag: `"v${version++}"` });
  const known = await fetchFiles(upstream.url);
  const again = await fetchFrom(upstream.url, { known });
  expect(again).toMatchObject({ status: 'unchanged', validators: { root: { etag: '"v2"' } } });
});

test.each([304, 400, 401, 404, 500, 503])('fetching over HTTP takes status %d for what it is', async (status) => {
  upstream.answer = (_req, res) => res.writeHead(status).end();
  const message = expect.stringContaining(String(status));
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'http_status', message, retryAfterMs: undefined });
});

test.each([
  [429, 'rate_limited', '60', 60_000],
  [503, 'http_status', '120', 120_000],
  [429, 'rate_limited', '99999999', 86_400_000],
  [429, 'rate_limited', 'soon', undefined],
])('fetching over HTTP understands status %d (%s) with Retry-After: %s', async (status, code, header, retryAfterMs) => {
  upstream.answer = (_req, res) => send(res, status, '{}', { 'retry-after': header });
  expect(await failureOf(upstream.url)).toMatchObject({ code, retryAfterMs });
});

test('fetching over HTTP says for how long an answer is fresh, also that of a 304', async () => {
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

test('fetching over HTTP leaves a web page to the reader', async () => {
  const page = '<!doctype html><title>502</title>';
  upstream.answer = (_req, res) => send(res, 200, page, { 'content-type': 'text/html; charset=utf-8' });
  expect(await bodyOf()).toBe(page);
  const pointer = JSON.stringify({ deprecated_full_payload: true, manifest: 'registry-manifest.json' });
  upstream.answer = (_req, res) => send(res, 200, pointer, { 'content-type': 'text/html' });
  expect(await bodyOf()).toBe(pointer);
});

test('fetching over HTTP sends the credentials of its URL to the host of its URL only, and shows them to nobody', async () => {
  const url = upstream.url.replace('http://', 'http://user:p%40ss@');
  upstream.answer = (_req, res) => res.writeHead(302, { location: other.url }).end();
  expect(await bodyOf(url)).toBe(BODY);
  const sent = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(sent);
  expect(other.requests.at(-1)?.headers.authorization).toBeUndefined();
  expect(parseSource(`${url}?token=secret`).label).toBe(upstream.url);
});

test('an upstream that is slow is given up when the headers do not come in time', async () => {
  upstream.answer = () => {};
  expect(await failureOf(upstream.url, { limits: IMPATIENT })).toMatchObject({ code: 'timeout' });
});

test('an upstream that is slow is given up when the body trickles past the deadline', async () => {
  const closed = new Promise((resolve) => {
    upstream.answer = (_req, res) => {
      res.writeHead(200);
      const drip = setInterval(() => res.write(' '), 50);
      res.on('close', () => resolve(clearInterval(drip)));
    };
  });
  expect(await failureOf(upstream.url, { limits: IMPATIENT })).toMatchObject({ code: 'timeout' });
  await closed;
});

test('an upstream that is slow is given up when redirects take longer than the deadline together', async () => {
  upstream.answer = (_req, res) => {
    setTimeout(() => res.writeHead(302, { location: upstream.url }).end('moved'), 150);
  };
  expect(await failureOf(upstream.url, { limits: IMPATIENT })).toMatchObject({ code: 'timeout' });
});

test('an upstream that is slow is left when it is told to', async () => {
  const stop = new AbortController();
  upstream.answer = () => stop.abort(new Error('stopping'));
  await expect(fetchFrom(upstream.url, { signal: stop.signal })).rejects.toThrow('stopping');
  await expect(fetchFrom(upstream.url, { signal: stop.signal })).rejects.toThrow('stopping');
});

test('an upstream that is broken is told to be down', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const message = expect.stringContaining('ECONNREFUSED');
  expect(await failureOf(`http://127.0.0.1:${port}/`)).toMatchObject({ code: 'unreachable', message });
});

const cut = gzipSync(BODY.repeat(50)).subarray(0, 40);
const cutBr = brotliCompressSync(BODY.repeat(50)).subarray(0, 20);
const cases: [string, (res: ServerResponse) => void][] = [
  ['before its length', (res) => res.writeHead(200, { 'content-length': 999 }).write('[', () => res.destroy())],
  ['between chunks', (res) => res.writeHead(200).write('[', () => res.destroy())],
  ['within gzip', (res) => send(res, 200, cut, { 'content-encoding': 'gzip' })],
  ['within br', (res) => send(res, 200, cutBr, { 'content-encoding': 'br' })],
  ['before gzip begins', (res) => send(res, 200, '', { 'content-encoding': 'gzip' })],
  ['into what is no gzip', (res) => send(res, 200, 'no gzip', { 'content-encoding': 'gzip' })],
];

test.each(cases)('an upstream that is broken is told to break off %s', async (_where, answer) => {
  upstream.answer = (_req, res) => answer(res);
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'truncated' });
});

test('an upstream that is broken is told to speak a coding that was not asked for', async () => {
  upstream.answer = (_req, res) => send(res, 200, BODY, { 'content-encoding': 'zstd' });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'not_json' });
});

test('what is too large is refused by its length', async () => {
  upstream.answer = (_req, res) => send(res, 200, ' '.repeat(LIMITS.maxBytes));
  expect(await bodyOf()).toHaveLength(LIMITS.maxBytes);
  upstream.answer = (_req, res) => send(res, 200, ' '.repeat(LIMITS.maxBytes + 1));
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
});

test('what is too large is refused while it comes without an end, plain or as a gzip bomb', async () => {
  const flood = (write: (chunk: Buffer) => void, res: ServerResponse) => {
    const more = setInterval(() => write(Buffer.alloc(50_000)), 1);
    res.on('close', () => clearInterval(more));
  };
  upstream.answer = (_req, res) => {
    res.writeHead(200);
    flood((chunk) => res.write(chunk), res);
  };
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
  upstream.answer = (_req, res) => {
    res.writeHead(200, { 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(res);
    flood((chunk) => gzip.write(chunk), res);
  };
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(50_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(50_000_000), { params: { 1: 4 } })],
])('what is too large is refused when it only gets so by %s', async (coding, bomb) => {
  upstream.answer = (_req, res) => send(res, 200, bomb, { 'content-encoding': coding });
  expect(bomb.length).toBeLessThan(LIMITS.maxBytes);
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
});

test('what is too large is refused when a coding makes it long without any content', async () => {
  const empty = gzipSync('');
  upstream.answer = (_req, res) => {
    send(res, 200, Buffer.concat(Array.from({ length: 20_000 }, () => empty)), { 'content-encoding': 'gzip' });
  };
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'too_large' });
});
