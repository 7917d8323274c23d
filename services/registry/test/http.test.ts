import { type IncomingMessage, request } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeUpstream, registryOf, startUpstream } from './fake-upstream.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
const CACHED = ['/api/skills', '/api/skills?limit=20', '/api/skills/skill-1', '/api/categories', '/registry.json'];
const NO_HTTP_DATES = ['yesterday', '2099-01-01', 'Thu, 01 Jan 2099 00:00:00 +0000', '4102444800000'];
const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip), identity: async (body: Buffer) => body };

let upstream: FakeUpstream;
let registry: StartedRegistry;

beforeAll(async () => {
  upstream = await startUpstream(registryOf(40));
  registry = await startRegistry({ source: upstream.url });
  await until(registry.status, { holds: ({ source }) => source !== 'shipped', timeoutMs: 60_000 });
}, 90_000);
afterAll(async () => {
  await registry.close();
  await upstream.close();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  registry.http
    .get(path)
    .set({ 'Accept-Encoding': 'identity', ...headers })
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    });

/** The body as sent: superagent would decompress it. */
async function getRaw(path: string, headers: Record<string, string>) {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request(registry.url + path, { headers }, resolve)
      .on('error', reject)
      .end();
  });
  return { headers: res.headers, body: Buffer.concat(await res.toArray()) };
}

describe('cached answers', () => {
  test.each(CACHED)('%s can be kept, revalidated and read by any web page', async (path) => {
    const { headers } = await get(path).expect(200);
    expect(headers).toMatchObject({
      'cache-control': CACHE_CONTROL,
      vary: 'Accept-Encoding',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Link, X-Total-Count, X-Request-Id, Age',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    expect(Date.parse(headers['last-modified'] ?? '')).toBeLessThanOrEqual(Date.now());
    for (const known of [headers.etag, `"x", W/${headers.etag}`, '*']) {
      const again = await get(path, { 'If-None-Match': known as string }).expect(304);
      expect(again.body).toHaveLength(0);
      expect(again.headers).toMatchObject({
        etag: headers.etag,
        vary: 'Accept-Encoding',
        'cache-control': CACHE_CONTROL,
      });
    }
    await get(path, { 'If-None-Match': '"other"' }).expect(200);
  });

  test.each(CACHED)('%s answers If-Modified-Since, unless If-None-Match says otherwise', async (path) => {
    const since = (await get(path)).headers['last-modified'] as string;
    await get(path, { 'If-Modified-Since': since }).expect(304);
    await get(path, { 'If-Modified-Since': new Date(Date.parse(since) - 1_000).toUTCString() }).expect(200);
    for (const text of NO_HTTP_DATES) await get(path, { 'If-Modified-Since': text }).expect(200);
    await get(path, { 'If-Modified-Since': since, 'If-None-Match': '"other"' }).expect(200);
  });

  test.each(CACHED)('HEAD %s has the headers of GET and no body', async (path) => {
    const { headers } = await get(path);
    const head = await registry.http.head(path).set('Accept-Encoding', 'identity').expect(200);
    for (const name of ['etag', 'content-length', 'last-modified', 'x-total-count']) {
      expect(head.headers[name]).toBe(headers[name]);
    }
    expect(head.text).toBeUndefined();
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['br;q=0', 'identity'],
    ['zstd', 'identity'],
    ['', 'identity'],
    ['*;q=0', 'identity'],
  ] as const)('Accept-Encoding "%s" is answered with %s, under an ETag of its own', async (accepted, coding) => {
    for (const path of ['/api/skills', '/api/skills?tag=test', '/registry.json']) {
      const plain = await getRaw(path, { 'Accept-Encoding': 'identity' });
      const { headers, body } = await getRaw(path, { 'Accept-Encoding': accepted });
      expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      expect(headers['content-length']).toBe(String(body.length));
      expect((await decoders[coding](body)).equals(plain.body)).toBe(true);
      expect(headers.etag === plain.headers.etag).toBe(coding === 'identity');
    }
  });

  test('sends short answers as they are', async () => {
    const { headers } = await getRaw('/api/skills?limit=1', { 'Accept-Encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('the list', () => {
  const names = async (query: string) =>
    (await registry.http.get(`/api/skills?${query}`).expect(200)).body.map(({ name }: { name: string }) => name);

  test('is all skills by name, or a page of them with a total and links', async () => {
    const all = await names('');
    expect(all).toHaveLength(40);
    expect(all).toEqual(all.toSorted());
    const page = await registry.http.get('/api/skills?category=odd&skip=5&limit=10').expect(200);
    expect(page.body).toHaveLength(10);
    expect(page.headers['x-total-count']).toBe('20');
    expect(page.headers.link).toBe(
      '</api/skills?category=odd&skip=15&limit=10>; rel="next", </api/skills?category=odd&skip=0&limit=10>; rel="prev"',
    );
    const rest = await registry.http.get('/api/skills?skip=38').expect(200);
    expect(rest.body).toHaveLength(2);
    expect(rest.headers.link).toBeUndefined();
    expect(await names('skip=1000000')).toEqual([]);
    expect(await names('limit=1000')).toHaveLength(40);
  });

  test('is filtered by category, tag and author in any case, all of them together', async () => {
    expect(await names('category=ODD')).toHaveLength(20);
    expect(await names('tag=TAG-7')).toEqual(['skill-7']);
    expect(await names('author=tester')).toHaveLength(40);
    expect(await names('tag=tag-7&category=even')).toEqual([]);
    expect(await names('category=')).toHaveLength(40);
    expect(await names('category=none')).toEqual([]);
  });

  test('is searched for words in any case, the exact name first', async () => {
    expect((await names('q=Skill-3'))[0]).toBe('skill-3');
    expect(await names('q=number%20TEST%2039')).toEqual(['skill-39']);
    expect(await names('q=nowhere')).toEqual([]);
    expect(await names('q=%20')).toHaveLength(40);
  });

  test('is sorted as asked', async () => {
    expect((await names('sort=stars'))[0]).toBe('skill-39');
    expect((await names('sort=stars&order=asc'))[0]).toBe('skill-0');
    expect((await names('order=desc'))[0]).toBe('skill-9');
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=%205', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['skip=-1', 'skip'],
    ['skip=', 'skip'],
    ['skip=1e3', 'skip'],
    ['skip=99999999999999999', 'skip'],
    ['sort=age', 'sort'],
    ['sort=name&sort=stars', 'sort'],
    ['order=up', 'order'],
    ['q=a&q=b', 'q'],
    ['tag=a&tag=b', 'tag'],
    [`q=${'x'.repeat(257)}`, 'q'],
  ])('refuses %s', async (query, field) => {
    const { body, headers } = await registry.http.get(`/api/skills?${query}`).expect(400);
    expect(body).toMatchObject({ error: 'validation_error', details: { fields: [{ path: field }] } });
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  test('passes over parameters that it does not know', async () => {
    expect(await names('colour=red&__proto__=1')).toHaveLength(40);
  });
});

describe('other answers', () => {
  test('tells a missing skill from an unknown path and another method', async () => {
    for (const id of ['none', '__proto__', 'constructor', 'toString', '%00', '%zz', 'a%20b', 'x'.repeat(5_000)]) {
      const { body } = await registry.http.get(`/api/skills/${id}`).expect(404);
      expect(body).toEqual({ detail: 'Skill not found' });
    }
    expect((await registry.http.get('/api/nothing').expect(404)).body.error).toBe('not_found');
    const { headers } = await registry.http.post('/api/skills').expect(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('answers a preflight request', async () => {
    const { headers } = await registry.http
      .options('/api/skills')
      .set({ Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' })
      .expect(204);
    expect(headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    });
  });

  test('lists categories and tags with their counts, the most used first', async () => {
    const { body } = await registry.http.get('/api/categories').expect(200);
    expect(body.categories).toEqual([
      { id: 'even', name: 'even', description: null, count: 20 },
      { id: 'odd', name: 'odd', description: null, count: 20 },
    ]);
    expect(body.tags[0]).toEqual({ name: 'test', count: 40 });
    expect(body.tags).toHaveLength(41);
  });

  test('describes itself, needs no credentials, and ignores those that are sent', async () => {
    const { body } = await registry.http.get('/openapi.json').expect(200);
    expect(Object.keys(body.paths).sort()).toEqual([
      '/.well-known/agent-skills/index.json',
      '/api/categories',
      '/api/changes',
      '/api/feed.atom',
      '/api/registry/status',
      '/api/skills',
      '/api/skills/{skill_id}',
      '/api/suggestions',
      '/registry.json',
    ]);
    for (const path of Object.values<{ get: { security: unknown } }>(body.paths)) expect(path.get.security).toEqual([]);
    await registry.http.get('/api/skills').set('Authorization', 'Bearer nonsense').expect(200);
    await registry.http.get('/health').expect(200, { status: 'ok' });
    await registry.http.get('/ready').expect(200);
  });

  test('keeps the status out of caches', async () => {
    const { headers } = await registry.http.get('/api/registry/status').expect(200);
    expect(headers['cache-control']).toBe('no-store');
  });
});

test('answers the gateway only, where there is an internal token', async () => {
  const internalToken = 'an-internal-token-of-tests';
  const guarded = await startRegistry({ internalToken });
  try {
    expect((await guarded.http.get('/api/skills').expect(403)).body.error).toBe('forbidden');
    await guarded.http.get('/api/skills').set('x-fleet-internal-token', internalToken).expect(200);
    await guarded.http.get('/openapi.json').expect(403);
    await guarded.http.get('/openapi.json').set('x-fleet-internal-token', internalToken).expect(200);
    await guarded.http.get('/ready').expect(200);
  } finally {
    await guarded.close();
  }
});
