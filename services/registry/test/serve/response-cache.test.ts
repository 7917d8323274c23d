import { type IncomingMessage, request } from 'node:http';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { INTERNAL_TOKEN_HEADER, requireInternalToken, toTokenCheck } from '@agent-fleet/shared/http/internal-access';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import type { Snapshots } from '../../src/publish/snapshots.ts';
import { createBindings } from '../../src/routes.ts';
import { allowAnyOrigin } from '../../src/serve/http/cors.ts';
import { ResponseCache } from '../../src/serve/response-cache.ts';
import type { Served } from '../../src/serve/served.ts';
import { SkillFiles } from '../../src/serve/skill-file/skill-files.ts';
import { registryOf } from '../support/fake-upstream.ts';
import { openServing } from '../support/open-registry.ts';
import { openServer } from '../support/opened.ts';
import { servedOf } from '../support/served.ts';

const TOKEN = 'a-token-of-the-gateway-for-tests-only';
const CACHED = [
  '/api/skills',
  '/api/skills?colour=red&category=',
  '/api/skills?sort=name&skip=0',
  '/api/skills?limit=20&skip=10',
  '/api/skills?limit=1',
  '/api/skills?q=skill&category=odd&limit=7',
  '/api/catalogue?q=skill&category=odd&limit=7',
  '/api/catalogue?q=skill&category=odd&facets=tag,category&fields=name&limit=7',
  '/api/skills?fields=name,stars&cursor=&limit=5',
  '/api/skills/skill-1',
  '/api/suggestions?q=ski',
  '/api/search?q=skill&limit=3',
  '/api/categories',
  '/api/feed.atom',
  '/.well-known/agent-skills/index.json',
];
const NOT_CACHED = ['/api/registry/status', '/registry.json', '/api/skills?limit=0', '/api/nothing'];

type Headers = Record<string, string | string[]>;

/** Routes behind the cache, with a record whether each response came from the cache. */
async function openRoutes(served: Served, accepted: readonly string[] = []) {
  const snapshots = { served, check: undefined, sources: [] as Snapshots['sources'] };
  const responseCache = new ResponseCache();
  const { signal } = new AbortController();
  const files = new SkillFiles({ allowsPrivate: false, signal, now: Date.now });
  const app = createHttpApp();
  app.use(requireInternalToken(accepted), allowAnyOrigin);
  const options = { snapshots: snapshots as unknown as Snapshots, refreshMs: 300_000, cache: responseCache, files };
  app.use(createRouter(createBindings(options)));
  finishApp(app, createLogger('test', 'silent'));
  const hits: boolean[] = [];
  const isAllowed = toTokenCheck(accepted);
  const port = await openServer((req, res) => {
    const isHit = responseCache.respond(req, res, isAllowed);
    hits.push(isHit);
    if (!isHit) app(req, res);
  });
  return {
    get: (path: string, headers: Headers = {}, method = 'GET') => get(port, path, headers, method),
    /** Whether the last `count` responses came from the cache. */
    lastHits: (count: number) => hits.slice(-count),
    serve(next: Served, isCached = true) {
      snapshots.served = next;
      if (isCached) responseCache.reset(next);
    },
  };
}

/** Routes that cache responses, and routes that do not. */
async function openBoth(...accepted: string[]) {
  const served = servedOf(registryOf(40));
  const [cached, plain] = [await openRoutes(served, accepted), await openRoutes(served, accepted)];
  cached.serve(served);
  const expectEqual = async (path: string, headers: Headers = {}, method = 'GET') => {
    const expected = await plain.get(path, withId(headers), method);
    expect(await cached.get(path, withId(headers), method)).toEqual(expected);
    return expected;
  };
  return { served, cached, plain, expectEqual };
}

async function get(port: number | string, path: string, headers: Headers = {}, method = 'GET') {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, path, headers, method, agent: false }, resolve).on('error', reject).end();
  });
  const body = Buffer.concat(await res.toArray()).toString('latin1');
  const { date, ...rest } = res.headersDistinct;
  return { status: res.statusCode, headers: rest, body };
}

/** Both responses have the same request id. */
const withId = (headers: Headers = {}): Headers => ({ 'x-request-id': 'same-for-both', ...headers });

test.each(CACHED)('a cached response to %s equals a new one for all codings and conditions', async (path) => {
  const { cached, plain, expectEqual } = await openBoth();
  const codings = [{}, ...['br', 'gzip', 'identity', 'gzip;q=0, *', ''].map((text) => ({ 'accept-encoding': text }))];
  for (const coding of codings) {
    const first = await plain.get(path, withId(coding));
    const [etag = ''] = first.headers.etag as string[];
    const [modified = ''] = first.headers['last-modified'] as string[];
    const conditions: [status: number, headers: Headers][] = [
      [200, {}],
      [304, { 'if-none-match': etag }],
      [304, { 'if-none-match': `"x", W/${etag}` }],
      [304, { 'if-none-match': '*' }],
      [200, { 'if-none-match': '"other"' }],
      [304, { 'if-none-match': ['"other"', etag] }],
      [304, { 'if-modified-since': modified }],
      [304, { 'if-modified-since': 'Thu Jan  1 00:00:00 2099' }],
      [200, { 'if-modified-since': '2099-01-01' }],
      [200, { 'if-modified-since': 'Thu, 01 Jan 2099 00:00:00 +0000' }],
      [200, { 'if-modified-since': modified, 'if-none-match': '"other"' }],
      [200, { 'if-match': '"other"', 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
      [200, { range: 'bytes=0-1', 'if-range': etag }],
    ];
    for (let time = 0; time < 2; time++) await cached.get(path, coding);
    for (const [status, condition] of conditions) {
      expect((await expectEqual(path, { ...coding, ...condition })).status).toBe(status);
      expect([...cached.lastHits(1), ...plain.lastHits(1)]).toEqual([true, false]);
    }
  }
});

test('a response is cached on its second request, 200 and 304 apart', async () => {
  const { cached, plain, expectEqual } = await openBoth();
  for (const path of CACHED) {
    const [etag = ''] = (await plain.get(path)).headers.etag as string[];
    const known = { 'if-none-match': etag };
    for (let time = 0; time < 3; time++) expect((await expectEqual(path, known)).status).toBe(304);
    expect(cached.lastHits(3)).toEqual([false, false, true]);
    for (let time = 0; time < 2; time++) expect((await expectEqual(path)).status).toBe(200);
    expect(cached.lastHits(2)).toEqual([false, true]);
    await expectEqual(path, known);
  }
});

test('a cached response has the id of its own request', async () => {
  const { cached } = await openBoth();
  const idOf = async (headers: Headers) => (await cached.get('/api/skills', headers)).headers['x-request-id'];
  for (const id of ['first', 'second', 'third', 'fourth']) expect(await idOf({ 'x-request-id': id })).toEqual([id]);
  for (const headers of [{}, { 'x-request-id': 'not one' }] as Headers[]) {
    expect(await idOf(headers)).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
  }
  expect(cached.lastHits(4)).toEqual([true, true, true, true]);
});

test('a cached response needs the internal token', async () => {
  const { cached, expectEqual } = await openBoth(TOKEN);
  const allowed = { [INTERNAL_TOKEN_HEADER]: TOKEN };
  for (let time = 0; time < 3; time++) expect((await expectEqual('/api/skills', allowed)).status).toBe(200);
  expect(cached.lastHits(1)).toEqual([true]);
  for (const token of [undefined, '', 'x', `${TOKEN}x`, [TOKEN, TOKEN]]) {
    const headers: Headers = token === undefined ? {} : { [INTERNAL_TOKEN_HEADER]: token };
    expect((await expectEqual('/api/skills', headers)).status).toBe(403);
  }
});

test.each([...NOT_CACHED.map((path) => ['GET', path]), ['HEAD', '/api/skills'], ['OPTIONS', '/api/skills']])(
  'the response to %s %s is not cached',
  async (method, path) => {
    const { cached, expectEqual } = await openBoth();
    for (let time = 0; time < 3; time++) await cached.get('/api/skills');
    for (let time = 0; time < 3; time++) await expectEqual(path, {}, method);
    expect(cached.lastHits(4)).toEqual([true, false, false, false]);
  },
);

test('responses after a switch are those of the new snapshot', async () => {
  const { cached, plain, expectEqual } = await openBoth();
  const next = servedOf(registryOf(30), { at: Date.UTC(2026, 5, 1) });
  for (const path of CACHED) for (let time = 0; time < 3; time++) await cached.get(path);
  cached.serve(next);
  plain.serve(next, false);
  for (const path of CACHED) {
    for (let time = 0; time < 3; time++) await expectEqual(path);
    expect(cached.lastHits(3)).toEqual([false, false, true]);
  }
});

test('a late response of the previous snapshot is not cached after a switch', async () => {
  const responseCache = new ResponseCache();
  const [before, now] = [servedOf(registryOf(3)), servedOf(registryOf(4))];
  responseCache.reset(now);
  const hits: boolean[] = [];
  const port = await openServer((req, res) => {
    const isHit = responseCache.respond(req, res, () => true);
    hits.push(isHit);
    if (isHit) return;
    res.writeHead(200).end('old');
    responseCache.store(before, Object.assign(req, { originalUrl: req.url }) as never, res, Buffer.from('old'));
  });
  for (let time = 0; time < 3; time++) await get(port, '/');
  expect(hits).toEqual([false, false, false]);
});

test('the service responds with the skills of the new snapshot after a switch', async () => {
  const { upstream, registry } = await openServing(40);
  const { port } = new URL(registry.url);
  const count = async () => (await get(port, '/api/skills?limit=3')).headers['x-total-count'];
  for (let time = 0; time < 4; time++) expect(await count()).toEqual(['40']);
  upstream.serve(registryOf(44));
  await registry.refresh();
  for (let time = 0; time < 4; time++) expect(await count()).toEqual(['44']);
});
