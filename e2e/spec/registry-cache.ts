import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';
import { expectNoBody, STRONG_ETAG } from './expectations.ts';

const CACHED = [
  '/api/skills',
  '/api/skills?limit=1',
  '/api/catalogue?facets=tag',
  '/api/categories',
  '/api/search?q=a',
  '/registry.json',
];
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
const EXPOSED = ['Age', 'ETag', 'Link', 'Repr-Digest', 'X-Digest-Mismatch', 'X-Request-Id', 'X-Total-Count'];
const ORIGIN = { origin: 'https://skills.example' };

/** docs/contract.md "Registry": strong ETag, 304, Last-Modified, Cache-Control, Vary, br and gzip, CORS. */
export function specifyRegistryCache(api: Api): void {
  const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { as: 'nobody', headers });

  describe.each(CACHED)('%s', (path) => {
    function expectCacheHeaders({ headers }: HttpResponse): void {
      expect(headers['cache-control']).toBe(CACHE_CONTROL);
      expect(headers.vary).toMatch(/(^|, *)accept-encoding(,|$)/i);
      expect(headers.etag).toMatch(STRONG_ETAG);
      expect(new Date(String(headers['last-modified'])).toUTCString()).toBe(headers['last-modified']);
    }

    test('each has the headers for caching', async () => expectCacheHeaders(await get(path)));

    test('each is 304 for a current tag: in a list, weak, or *', async () => {
      const { etag } = (await get(path)).headers;
      for (const known of [String(etag), `"other", ${etag}`, `W/${etag}`, '*']) {
        const response = await get(path, { 'if-none-match': known });
        expectNoBody(response, 304);
        expectCacheHeaders(response);
        expect(response.headers.etag).toBe(etag);
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    });

    test('each is 304 by If-Modified-Since, unless If-None-Match is sent and does not match', async () => {
      const since = { 'if-modified-since': String((await get(path)).headers['last-modified']) };
      expectNoBody(await get(path, since), 304);
      expect((await get(path, { ...since, 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get(path, { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
      expect((await get(path, { 'if-modified-since': 'yesterday' })).status).toBe(200);
    });

    test('each is the same in br, gzip and identity, with a tag for each coding', async () => {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      const codings = { br: brotliDecompressSync, gzip: gunzipSync };
      const tags = new Set([plain.headers.etag]);
      for (const [coding, decode] of Object.entries(codings)) {
        const response = await get(path, { 'accept-encoding': coding });
        expectCacheHeaders(response);
        // A body that is hardly longer than a header may stay uncompressed.
        if (response.headers['content-encoding'] === undefined && plain.bytes.length <= 1_024) continue;
        expect(response.headers['content-encoding']).toBe(coding);
        expect(decode(response.bytes).equals(plain.bytes)).toBe(true);
        expect(tags.has(response.headers.etag)).toBe(false);
        tags.add(response.headers.etag);
        expectNoBody(
          await get(path, { 'accept-encoding': coding, 'if-none-match': String(response.headers.etag) }),
          304,
        );
      }
    });

    test('HEAD is like GET without a body', async () => {
      const [full, head] = [await get(path), await api.call('HEAD', path, { as: 'nobody' })];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'last-modified', 'vary']) {
        expect([name, head.headers[name]]).toEqual([name, full.headers[name]]);
      }
    });
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['deflate', undefined],
  ])('Accept-Encoding "%s" gets %s', async (accepted, coding) => {
    const response = await get('/registry.json', { 'accept-encoding': accepted });
    expect([response.status, response.headers['content-encoding']]).toEqual([200, coding]);
  });

  test('the registry allows any origin', async () => {
    for (const path of [...CACHED, '/api/registry/status', '/api/skills/nope', '/api/skills?limit=0']) {
      const { headers } = await get(path, ORIGIN);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      const exposed = String(headers['access-control-expose-headers']).split(/, */).sort();
      expect(exposed).toEqual(EXPOSED);
    }
  });

  test('a preflight is 204 and allows GET with any header', async () => {
    const preflight = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' };
    for (const path of CACHED) {
      const response = await api.call('OPTIONS', path, { as: 'nobody', headers: { ...ORIGIN, ...preflight } });
      expectNoBody(response, 204);
      expect(response.headers['access-control-allow-origin']).toBe('*');
      expect(response.headers['access-control-allow-methods']).toContain('GET');
      expect(response.headers['access-control-allow-headers']).toMatch(/\*|if-none-match/i);
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
    }
  });

  test('nothing else allows other origins', async () => {
    for (const path of ['/agents', '/protected', '/openapi.json', '/docs', '/health', '/nope']) {
      const { headers } = await api.call('GET', path, { headers: ORIGIN });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    const requested = { ...ORIGIN, 'access-control-request-method': 'POST' };
    const preflight = await api.call('OPTIONS', '/agents', { as: 'nobody', headers: requested });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([401, undefined]);
  });
}
