import { hash, randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, jest, test } from '@jest/globals';
import { openServer } from '../../../test/support/opened.ts';
import { BodyStreams, type StreamLimits } from './body-streams.ts';
import { type Body, createRawFile } from './coded-body.ts';
import { send } from './send.ts';

const MIB = 1024 * 1024;
const FETCHED_AT = Date.UTC(2026, 1, 3);

const fileOf = (raw: Buffer) =>
  createRawFile({ digest: hash('sha256', raw), bytes: raw.length, packed: gzipSync(raw, { level: 1 }) });

const serveFile = (raw: Buffer, limits?: Partial<StreamLimits>) => serve(fileOf(raw), limits);

/** Starts a server that responds with `body` to every request; returns its streams too. */
async function serve(body: Body, limits: Partial<StreamLimits> = {}) {
  const streams = new BodyStreams(limits);
  const port = await openServer((req, res) => {
    send({ req, res, streams }, body, { lastModified: FETCHED_AT }).catch((error) =>
      res.writeHead(error.status, error.headers).end(),
    );
  });
  const open = (headers: IncomingHttpHeaders = {}, method = 'GET') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ port, headers, method, agent: false }, resolve).on('error', reject);
      sent.end();
      own(() => sent.destroy());
    });
  const read = async (headers?: IncomingHttpHeaders, method?: string) => {
    const res = await open(headers, method);
    return { status: res.statusCode, headers: res.headers, body: Buffer.concat(await res.toArray()) };
  };
  return { streams, open, read };
}

const untilActive = (streams: BodyStreams, count: number) => until(() => streams.active === count);

/** Incompressible, so that both forms are long. */
const large = randomBytes(12 * MIB);
const small = Buffer.from(JSON.stringify({ skills: [{ name: 'ä' }] }));

test('a large file is unpacked as it is sent, with its length, digest and time', async () => {
  const { read, streams } = await serveFile(large);
  const { status, headers, body } = await read();
  expect(status).toBe(200);
  expect(body.equals(large)).toBe(true);
  expect(headers).toMatchObject({
    'content-length': String(large.length),
    'content-type': 'application/json; charset=utf-8',
    etag: `"${hash('sha256', large).slice(0, 32)}"`,
    'last-modified': new Date(FETCHED_AT).toUTCString(),
    vary: 'Accept-Encoding',
  });
  await untilActive(streams, 0);
});

test('a large file is sent in its stored gzip, and not in br', async () => {
  const { read } = await serveFile(large);
  for (const accepted of ['gzip', 'gzip, br', 'br;q=1, gzip;q=0.5']) {
    const { headers, body } = await read({ 'accept-encoding': accepted });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', etag: expect.stringMatching(/^"\w{32}-gzip"$/) });
    expect(gunzipSync(body).equals(large)).toBe(true);
  }
  const { headers } = await read({ 'accept-encoding': 'br' }, 'HEAD');
  expect(headers['content-encoding']).toBeUndefined();
});

test('a large file has the same headers for HEAD, and can be revalidated', async () => {
  const { read, streams } = await serveFile(large);
  const head = await read({}, 'HEAD');
  expect(head).toMatchObject({ status: 200, headers: { 'content-length': String(large.length) } });
  expect(head.body).toHaveLength(0);
  expect((await read({ 'if-none-match': head.headers.etag })).status).toBe(304);
  expect(streams.active).toBe(0);
});

test('a large file is decompressed with backpressure for a client that reads slowly', async () => {
  const { open, streams } = await serveFile(large);
  const before = process.memoryUsage().arrayBuffers;
  const res = await open();
  await sleep(250);
  expect(streams.active).toBe(1);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6 * MIB);
  expect(Buffer.concat(await res.toArray()).equals(large)).toBe(true);
});

test('a large file is streamed to a bounded number of clients, and others get 503 with Retry-After', async () => {
  const { open, read, streams } = await serveFile(large, { max: 2 });
  const first = await open();
  await open();
  expect(await read()).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect((await read()).headers).not.toHaveProperty('etag');
  expect((await read({ 'accept-encoding': 'gzip' })).status).toBe(200);
  first.destroy();
  await untilActive(streams, 1);
  expect((await read()).body.equals(large)).toBe(true);
});

test('a stream that is refused once its length is known has no header of the body', async () => {
  const measured = Promise.withResolvers<number>();
  let waiting = 0;
  const length = () => {
    waiting++;
    return measured.promise;
  };
  const stream = () => ({ source: Readable.from([small]) });
  const body = { digest: () => 'x', whole: () => undefined, length, stream };
  const { read } = await serve(body, { max: 1 });
  const both = Promise.all([read(), read()]);
  await until(() => waiting === 2);
  measured.resolve(small.length);
  const [refused, sent] = (await both).sort((a, b) => Number(b.status) - Number(a.status));
  expect(sent).toMatchObject({ status: 200, body: small, headers: { etag: '"x"' } });
  expect(refused?.status).toBe(503);
  for (const name of ['etag', 'last-modified', 'cache-control', 'content-type'])
    expect(refused?.headers).not.toHaveProperty(name);
});

test('the response with a large file is aborted when its client reads nothing for a while', async () => {
  const { open, streams } = await serveFile(large, { stallMs: 200 });
  const res = await open();
  await untilActive(streams, 0);
  await expect(res.toArray()).rejects.toThrow('aborted');
});

test('the response with a large file is aborted after its longest time', async () => {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval'] as const),
    ],
  });
  const { open, streams } = await serveFile(large, { maxMs: 200 });
  const res = await open().finally(() => {
    jest.advanceTimersByTime(199);
    expect(streams.active).toBe(1);
    jest.advanceTimersByTime(1);
    jest.useRealTimers();
  });
  await untilActive(streams, 0);
  await expect(res.toArray()).rejects.toThrow('aborted');
});

test('a small file is unpacked once and takes no stream', async () => {
  const { read } = await serveFile(small, { max: 0 });
  for (let time = 0; time < 2; time++) expect((await read()).body.equals(small)).toBe(true);
  const file = fileOf(small);
  expect((await file.whole('identity'))?.body).toBe((await file.whole('identity'))?.body);
});

test('a small file is compressed in br at the first demand, but not for HEAD', async () => {
  const { read } = await serveFile(small);
  const accept = { 'accept-encoding': 'br' };
  const head = await read(accept, 'HEAD');
  expect(head.headers).not.toHaveProperty('content-length');
  const { headers, body } = await read(accept);
  expect(brotliDecompressSync(body).equals(small)).toBe(true);
  expect([head.headers.etag, head.headers['content-encoding']]).toEqual([headers.etag, 'br']);
  expect((await read(accept, 'HEAD')).headers['content-length']).toBe(String(body.length));
});
