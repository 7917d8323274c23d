import { type IncomingMessage, request } from 'node:http';
import { createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { INTERNAL_TOKEN_HEADER, requireInternalToken, toTokenCheck } from '@agent-fleet/shared/http/internal-access';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import { allowAnyOrigin } from '../src/http/cors.ts';
import { intercept } from '../src/http/intercept.ts';
import { ResponseCache } from '../src/http/response-cache.ts';
import { createBindings } from '../src/routes.ts';
import type { Served } from '../src/snapshots/served.ts';
import type { Snapshots } from '../src/snapshots/snapshots.ts';
import { registryOf } from './fake-upstream.ts';
import { openServing } from './open-registry.ts';
import { openServer } from './opened.ts';
import { servedOf } from './served.ts';

const TOKEN = 'a-token-of-the-gateway-for-tests-only';
const KEPT = [
  '/api/skills',
  '/api/skills?colour=red&category=',
  '/api/skills?sort=name&skip=0',
  '/api/skills?limit=20&skip=10',
  '/api/skills?limit=1',
  '/api/skills?q=skill&category=odd&facets=tag,category&limit=7',
  '/api/skills?fields=name,stars&cursor=&limit=5',
  '/api/categories',
  '/api/feed.atom',
  '/.well-known/agent-skills/index.json',
];
const LEFT = ['/api/skills/skill-1', '/api/registry/status', '/registry.json', '/api/skills?limit=0', '/api/nothing'];

type Way = 'hot' | 'whole';
type Headers = Record<string, string | string[]>;
type Answer = { status: number | undefined; headers: Record<string, unknown>; body: string };

/** The routes behind the cache, and which way each request was answered. */
async function openRoutes(served: Served, token?: string) {
  const snapshots = { served, check: undefined, sources: [] as Snapshots['sources'] };
  const responseCache = new ResponseCache();
  const app = createHttpApp();
  app.use(requireInternalToken(token), allowAnyOrigin);
  app.use(createRouter(createBindings(snapshots as unknown as Snapshots, 300_000, responseCache)));
  finishApp(app, createLogger('test', 'silent'));
  const ways: Way[] = [];
  const isAllowed = toTokenCheck(token);
  intercept(app, (req, res) => {
    const isAnswered = responseCache.respond(req, res, isAllowed);
    ways.push(isAnswered ? 'hot' : 'whole');
    return isAnswered;
  });
  const port = await openServer(app);
  return {
    ask: (path: string, headers: Headers = {}, method = 'GET') => ask(port, path, headers, method),
    /** How the last `count` requests were answered. */
    lastWays: (count: number) => ways.slice(-count),
    serve(next: Served, isFollowed = true) {
      snapshots.served = next;
      if (isFollowed) responseCache.reset(next);
    },
  };
}

/** One that caches responses, and one that makes each anew. */
async function openBoth(served = servedOf(registryOf(40)), token?: string) {
  const [kept, anew] = [await openRoutes(served, token), await openRoutes(served, token)];
  kept.serve(served);
  return { served, kept, anew };
}

async function ask(port: number | string, path: string, headers: Headers = {}, method = 'GET'): Promise<Answer> {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, path, headers, method, agent: false }, resolve).on('error', reject).end();
  });
  const body = Buffer.concat(await res.toArray()).toString('latin1');
  const { date, ...rest } = res.headersDistinct;
  return { status: res.statusCode, headers: rest, body };
}

const withId = (headers: Headers = {}): Headers => ({ 'x-request-id': 'same-for-both', ...headers });

test.each(KEPT)(
  'a cached response to %s equals one that is made anew, for all codings and conditions',
  async (path) => {
    const { kept, anew } = await openBoth();
    const codings = [{}, ...['br', 'gzip', 'identity', 'gzip;q=0, *', ''].map((text) => ({ 'accept-encoding': text }))];
    for (const coding of codings) {
      const first = await anew.ask(path, withId(coding));
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
      for (let time = 0; time < 2; time++) await kept.ask(path, coding);
      for (const [status, condition] of conditions) {
        const headers = withId({ ...coding, ...condition });
        const expected = await anew.ask(path, headers);
        expect(expected.status).toBe(status);
        expect(await kept.ask(path, headers)).toEqual(expected);
        expect([...kept.lastWays(1), ...anew.lastWays(1)]).toEqual(['hot', 'whole']);
      }
    }
  },
);

test('a cached response is right for a client that has had it all along', async () => {
  const { kept, anew } = await openBoth();
  for (const path of KEPT) {
    const [etag = ''] = (await anew.ask(path)).headers.etag as string[];
    const headers = withId({ 'if-none-match': etag });
    const expected = await anew.ask(path, headers);
    expect(expected.status).toBe(304);
    for (let time = 0; time < 3; time++) expect(await kept.ask(path, headers)).toEqual(expected);
    expect(kept.lastWays(3)).toEqual(['whole', 'whole', 'hot']);
    for (let time = 0; time < 2; time++) expect(await kept.ask(path, withId())).toEqual(await anew.ask(path, withId()));
    expect(kept.lastWays(2)).toEqual(['whole', 'hot']);
    expect(await kept.ask(path, headers)).toEqual(expected);
  }
});

test('a cached response has the id of its own request', async () => {
  const { kept } = await openBoth();
  for (const id of ['first', 'second', 'third', 'fourth']) {
    const { headers } = await kept.ask('/api/skills', { 'x-request-id': id });
    expect(headers['x-request-id']).toEqual([id]);
  }
  for (const headers of [{}, { 'x-request-id': 'not one' }] as Headers[]) {
    expect((await kept.ask('/api/skills', headers)).headers['x-request-id']).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
    ]);
  }
  expect(kept.lastWays(4)).toEqual(['hot', 'hot', 'hot', 'hot']);
});

test('a cached response needs the internal token', async () => {
  const { kept, anew } = await openBoth(undefined, TOKEN);
  const allowed = withId({ [INTERNAL_TOKEN_HEADER]: TOKEN });
  for (let time = 0; time < 3; time++) expect((await kept.ask('/api/skills', allowed)).status).toBe(200);
  expect(kept.lastWays(1)).toEqual(['hot']);
  for (const token of [undefined, '', 'x', `${TOKEN}x`, [TOKEN, TOKEN]]) {
    const headers = withId(token === undefined ? {} : { [INTERNAL_TOKEN_HEADER]: token });
    const expected = await anew.ask('/api/skills', headers);
    expect(expected.status).toBe(403);
    expect(await kept.ask('/api/skills', headers)).toEqual(expected);
  }
});

test('other methods and paths are not answered from the cache', async () => {
  const { kept, anew } = await openBoth();
  for (const [method, path] of [...LEFT.map((path) => ['GET', path]), ['HEAD', KEPT[0]], ['OPTIONS', KEPT[0]]]) {
    for (let time = 0; time < 3; time++) await kept.ask(KEPT[0] as string);
    for (let time = 0; time < 3; time++) {
      const expected = await anew.ask(path as string, withId(), method);
      expect(await kept.ask(path as string, withId(), method)).toEqual(expected);
    }
    expect(kept.lastWays(4)).toEqual(['hot', 'whole', 'whole', 'whole']);
  }
});

test('responses after a switch are those of the new snapshot', async () => {
  const { kept, anew } = await openBoth();
  const next = servedOf(registryOf(30), { at: Date.UTC(2026, 5, 1) });
  for (const path of KEPT) for (let time = 0; time < 3; time++) await kept.ask(path);
  kept.serve(next);
  anew.serve(next, false);
  for (const path of KEPT) {
    for (let time = 0; time < 3; time++) expect(await kept.ask(path, withId())).toEqual(await anew.ask(path, withId()));
    expect(kept.lastWays(3)).toEqual(['whole', 'whole', 'hot']);
  }
});

test('a late response of the snapshot before a switch is not cached', async () => {
  const responseCache = new ResponseCache();
  const [before, now] = [servedOf(registryOf(3)), servedOf(registryOf(4))];
  responseCache.reset(now);
  const taken: boolean[] = [];
  const port = await openServer((req, res) => {
    const isHot = responseCache.respond(req, res, () => true);
    taken.push(isHot);
    if (isHot) return;
    res.writeHead(200).end('old');
    responseCache.store(before, Object.assign(req, { originalUrl: req.url }) as never, res, {
      body: Buffer.from('old'),
    });
  });
  for (let time = 0; time < 3; time++) await ask(port, '/');
  expect(taken).toEqual([false, false, false]);
});

test('the service responds with the skills of the new snapshot after a switch', async () => {
  const { upstream, registry } = await openServing(40);
  const { port } = new URL(registry.url);
  const count = async () => (await ask(port, '/api/skills?limit=3')).headers['x-total-count'];
  for (let time = 0; time < 4; time++) expect(await count()).toEqual(['40']);
  upstream.serve(registryOf(44));
  await registry.refresh();
  for (let time = 0; time < 4; time++) expect(await count()).toEqual(['44']);
});

test('the cache serves a smaller encoding of the list as soon as there is one', async () => {
  const { served, kept, anew } = await openBoth();
  const headers = withId({ 'accept-encoding': 'br' });
  for (let time = 0; time < 3; time++) await kept.ask('/api/skills', headers);
  served.list.setBest(Buffer.from('smaller'));
  const answer = await kept.ask('/api/skills', headers);
  expect(kept.lastWays(1)).toEqual(['hot']);
  expect(answer).toMatchObject({ body: 'smaller', headers: { 'content-length': ['7'] } });
  expect(answer).toEqual(await anew.ask('/api/skills', headers));
});

test('URLs that come once or are long are not cached', async () => {
  const { kept } = await openBoth();
  for (let time = 0; time < 3; time++) await kept.ask('/api/skills?limit=2');
  for (let at = 0; at < 300; at++) await kept.ask(`/api/skills?limit=2&at=${at}`);
  expect(new Set(kept.lastWays(300))).toEqual(new Set(['whole']));
  for (let time = 0; time < 3; time++) await kept.ask(`/api/skills?limit=2&at=${'x'.repeat(600)}`);
  await kept.ask('/api/skills?limit=2');
  expect(kept.lastWays(4)).toEqual(['whole', 'whole', 'whole', 'hot']);
});
