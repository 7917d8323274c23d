import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeUpstream, send, startUpstream } from '../../test/fake-upstream.ts';
import type { UpstreamErrorCode } from './errors.ts';
import { exchange, toRedirectTarget } from './exchange.ts';
import { type Fetched, fetchSource } from './fetch-source.ts';
import { parseSource } from './source.ts';

const LIMITS = { deadlineMs: 400, maxBytes: 100_000 };
const BODY = JSON.stringify([{ name: 'one' }]);
const never = new AbortController().signal;

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const fetchFrom = (url: string, validators?: { etag: string | null; lastModified: string | null }): Promise<Fetched> =>
  fetchSource(parseSource(url), validators, LIMITS, never);

async function failure(url = upstream.url): Promise<{ code: UpstreamErrorCode; message: string }> {
  return fetchFrom(url).then(
    () => Promise.reject(new Error('fetched')),
    (error: unknown) => error as { code: UpstreamErrorCode; message: string },
  );
}

async function body(url = upstream.url): Promise<string> {
  const fetched = await fetchFrom(url);
  return fetched.status === 'fetched' ? fetched.bytes.toString() : fetched.status;
}

describe('fetching over HTTP', () => {
  it.each([
    ['gzip', gzipSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['identity', Buffer.from(BODY)],
  ])('reads a body in %s', async (coding, encoded) => {
    upstream.answer = (_req, res) => send(res, 200, encoded, { 'content-encoding': coding });
    expect(await body()).toBe(BODY);
    expect(upstream.requests.at(-1)?.headers).toMatchObject({ 'accept-encoding': 'gzip, br' });
  });

  it('asks conditionally and understands 304', async () => {
    upstream.answer = (req, res) => {
      const known = req.headers['if-none-match'] === '"v1"' && req.headers['if-modified-since'] === 'then';
      if (known) res.writeHead(304).end();
      else send(res, 200, BODY, { etag: '"v1"', 'last-modified': 'then' });
    };
    const fetched = await fetchFrom(upstream.url);
    expect(fetched).toMatchObject({ status: 'fetched', etag: '"v1"', lastModified: 'then' });
    expect(await fetchFrom(upstream.url, { etag: '"v1"', lastModified: 'then' })).toEqual({ status: 'unchanged' });
  });

  it.each([304, 400, 401, 404, 429, 500, 503])('takes status %d for what it is', async (status) => {
    upstream.answer = (_req, res) => res.writeHead(status).end();
    expect(await failure()).toMatchObject({ code: 'http_status', message: expect.stringContaining(String(status)) });
  });

  it('gives up when the headers do not come in time', async () => {
    upstream.answer = () => {};
    expect(await failure()).toMatchObject({ code: 'timeout' });
  });

  it('gives up when the body trickles past the deadline', async () => {
    upstream.answer = (_req, res) => {
      res.writeHead(200);
      const drip = setInterval(() => res.write(' '), 50);
      res.on('close', () => clearInterval(drip));
    };
    const before = Date.now();
    expect(await failure()).toMatchObject({ code: 'timeout' });
    expect(Date.now() - before).toBeLessThan(2_000);
  });

  it('gives up when redirects take longer than the deadline together', async () => {
    upstream.answer = (_req, res) => {
      setTimeout(() => res.writeHead(302, { location: upstream.url }).end('moved'), 150);
    };
    expect(await failure()).toMatchObject({ code: 'timeout' });
  });

  it('stops when it is told to', async () => {
    upstream.answer = () => {};
    const stop = new AbortController();
    const fetching = fetchSource(parseSource(upstream.url), undefined, LIMITS, stop.signal);
    setTimeout(() => stop.abort(new Error('stopping')), 50);
    await expect(fetching).rejects.toThrow('stopping');
  });

  it('tells a server that is down', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    expect(await failure(`http://127.0.0.1:${port}/`)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('tells a body that breaks off, plain or compressed, however the connection ends', async () => {
    upstream.answer = (_req, res) => {
      res.writeHead(200, { 'content-length': 1_000 });
      res.write('[', () => res.destroy());
    };
    expect(await failure()).toMatchObject({ code: 'truncated' });
    upstream.answer = (_req, res) => {
      res.writeHead(200);
      res.write('[', () => res.destroy());
    };
    expect(await failure()).toMatchObject({ code: 'truncated' });
    const cut = gzipSync(BODY.repeat(50)).subarray(0, 40);
    upstream.answer = (_req, res) => send(res, 200, cut, { 'content-encoding': 'gzip' });
    expect(await failure()).toMatchObject({ code: 'truncated' });
    upstream.answer = (_req, res) => send(res, 200, 'no gzip', { 'content-encoding': 'gzip' });
    expect(await failure()).toMatchObject({ code: 'truncated' });
  });

  it('refuses what is too large, also when it only gets so by decompression', async () => {
    upstream.answer = (_req, res) => send(res, 200, ' '.repeat(100_001));
    expect(await failure()).toMatchObject({ code: 'too_large' });
    upstream.answer = (_req, res) => {
      res.writeHead(200);
      const flood = setInterval(() => res.write(' '.repeat(50_000)), 1);
      res.on('close', () => clearInterval(flood));
    };
    expect(await failure()).toMatchObject({ code: 'too_large' });
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    upstream.answer = (_req, res) => send(res, 200, bomb, { 'content-encoding': 'gzip' });
    expect(bomb.length).toBeLessThan(LIMITS.maxBytes);
    expect(await failure()).toMatchObject({ code: 'too_large' });
  });

  it('sends the credentials of its URL to the host of its URL only, and shows them to nobody', async () => {
    const other = await startUpstream();
    other.answer = (_req, res) => send(res, 200, BODY);
    upstream.answer = (_req, res) => res.writeHead(302, { location: other.url }).end();
    const url = upstream.url.replace('http://', 'http://user:p%40ss@');
    expect(await body(url)).toBe(BODY);
    const sent = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(upstream.requests.at(-1)?.headers.authorization).toBe(sent);
    expect(other.requests.at(-1)?.headers.authorization).toBeUndefined();
    expect(parseSource(`${url}?token=secret`).label).toBe(upstream.url);
    await other.close();
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%d is followed', async (status) => {
    upstream.answer = (req, res) => {
      if (req.url === '/new') send(res, 200, BODY);
      else res.writeHead(status, { location: '/new' }).end();
    };
    expect(await body()).toBe(BODY);
  });

  it('end after three', async () => {
    upstream.answer = (_req, res) => res.writeHead(302, { location: upstream.url }).end();
    const before = upstream.requests.length;
    expect(await failure()).toMatchObject({ code: 'redirect' });
    expect(upstream.requests.length - before).toBe(4);
  });

  it.each([undefined, 'file:///etc/passwd', 'ftp://example.com/', 'data:application/json,[]', 'http://['])(
    'to %s are refused',
    async (location) => {
      upstream.answer = (_req, res) => res.writeHead(302, location === undefined ? {} : { location }).end();
      expect(await failure()).toMatchObject({ code: 'redirect' });
    },
  );

  it('from https to http are refused', () => {
    const from = new URL('https://example.com/a');
    expect(() => toRedirectTarget(from, 'http://example.com/a')).toThrow('from https to http');
    expect(toRedirectTarget(from, '//example.org/b').href).toBe('https://example.org/b');
  });
});

describe('a redirect into an internal network', () => {
  const reach = async (location: string, isInternal: (address: string) => boolean) => {
    upstream.answer = (req, res) => {
      if (req.url === '/new') send(res, 200, BODY);
      else res.writeHead(302, { location }).end();
    };
    const response = await exchange(new URL(upstream.url), {}, never, isInternal);
    return response === 'not modified' ? response : response.text();
  };

  it('is refused before anything connects, whether the address is written or found by name', async () => {
    const written = reach(`http://127.0.0.2:${upstream.port}/new`, (address) => address === '127.0.0.2');
    await expect(written).rejects.toMatchObject({ code: 'redirect', message: expect.stringContaining('internal') });
    let seen = 0;
    const named = reach(`http://localhost:${upstream.port}/new`, () => seen++ > 0);
    await expect(named).rejects.toMatchObject({ code: 'redirect', message: expect.stringContaining('internal') });
    expect(upstream.requests.at(-1)?.url).toBe('/registry.json');
  });

  it('is followed where the configured source is in it already', async () => {
    expect(await reach(`http://127.0.0.1:${upstream.port}/new`, () => true)).toBe(BODY);
  });
});

describe('reading a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-source-'));
  const file = join(folder, 'registry.json');
  const url = pathToFileURL(file).href;
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives its bytes', async () => {
    writeFileSync(file, BODY);
    expect(await body(url)).toBe(BODY);
    expect(parseSource(url).label).toBe('file:registry.json');
  });

  it('refuses what is missing, too large, a folder or a pipe', async () => {
    expect(await failure(`${url}.none`)).toMatchObject({ code: 'unreadable_file' });
    truncateSync(file, 100_001);
    expect(await failure(url)).toMatchObject({ code: 'too_large' });
    expect(await failure(pathToFileURL(folder).href)).toMatchObject({ code: 'unreadable_file' });
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await failure(pathToFileURL(pipe).href)).toMatchObject({ code: 'unreadable_file' });
  });
});
