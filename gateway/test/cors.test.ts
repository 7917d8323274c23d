import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeAll, startUpstream } from './proxy/proxy-fixture.ts';
import { API_KEY, nowhere, startFleet, startGateway, type TestGateway } from './support/gateway.ts';

const APP = 'https://app.example';
const OTHER = 'https://other.example';
const ORIGINS: Record<string, string>[] = [{}, { origin: APP }];
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
const EXPOSED = 'ETag, Link, Location, X-Total-Count, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy';

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  paths: { '/agents': { get: { responses: {} }, post: { responses: {} } }, '/api/skills': { get: { responses: {} } } },
});

/** A gateway before a service that has an opinion on origins of its own. */
async function startBefore(env: Record<string, string>): Promise<TestGateway> {
  const { url } = await startUpstream((req, res) => {
    if (req.url === '/openapi.json') return void res.end(DOCUMENT);
    const own = { 'access-control-allow-origin': OTHER, 'access-control-allow-credentials': 'true' };
    const open = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag, Age' };
    const isOpen = req.url?.startsWith('/api/');
    res.writeHead(200, { ...(isOpen ? open : own), vary: 'Accept-Encoding', etag: '"1"' }).end('{}');
  });
  const gateway = await startGateway({ AGENTS_URL: url, REGISTRY_URL: url, ...env });
  await until(async () => (await fetch(`${gateway.url}/ready`)).status === 200);
  return gateway;
}

function ask(
  gateway: { url: string },
  path: string,
  method: string,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(gateway.url + path, { method, headers });
}

const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('with CORS_ORIGINS', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startBefore({ CORS_ORIGINS: `${APP}, http://localhost:5173` });
  });
  afterAll(async () => {
    await gateway.close();
    await closeAll();
  });

  test('answers a preflight without credentials, with the methods of the path', async () => {
    const answer = await ask(gateway, '/agents', 'OPTIONS', { origin: APP, ...PREFLIGHT });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('vary')).toBe('Origin');
    const { 'access-control-allow-headers': allowed = '', ...rest } = corsOf(answer);
    expect(rest).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, POST, HEAD, OPTIONS',
      'access-control-max-age': '86400',
      'access-control-expose-headers': EXPOSED,
    });
    for (const name of [
      'Authorization',
      'X-API-Key',
      'If-Match',
      'Idempotency-Key',
      'Last-Event-ID',
      'X-Lease-Token',
    ]) {
      expect(allowed.split(',')).toContain(name);
    }
  });

  test.each([
    ['an answer of a service', '/agents', { 'x-api-key': API_KEY }, 200],
    ['an answer of the gateway', '/health', {}, 200],
    ['401', '/agents', {}, 401],
    ['403', '/agents', { 'x-api-key': 'wrong' }, 403],
    ['404', '/nowhere', {}, 404],
    ['400', '/agents/%2f', {}, 400],
  ])('lets a page of a known origin read %s', async (_what, path, headers, status) => {
    const answer = await ask(gateway, path, 'GET', { origin: APP, ...headers });
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual({ 'access-control-allow-origin': APP, 'access-control-expose-headers': EXPOSED });
    expect(answer.headers.get('vary')).toMatch(/(^|, )Origin$/);
  });

  test('keeps the Vary of the service beside its own', async () => {
    const answer = await ask(gateway, '/agents', 'GET', { origin: APP, 'x-api-key': API_KEY });
    expect(answer.headers.get('vary')).toBe('Accept-Encoding, Origin');
  });

  test.each([OTHER, 'null', `${APP}.evil.example`, `${APP}:8443`, 'http://app.example', APP.toUpperCase()])(
    'a page of %s reads nothing, whatever the service says',
    async (origin) => {
      const answer = await ask(gateway, '/agents', 'GET', { origin, 'x-api-key': API_KEY });
      expect([answer.status, corsOf(answer)]).toEqual([200, {}]);
      expect(answer.headers.get('vary')).toBe('Accept-Encoding, Origin');
      const preflight = await ask(gateway, '/agents', 'OPTIONS', { origin, ...PREFLIGHT });
      expect([preflight.status, corsOf(preflight)]).toEqual([401, {}]);
    },
  );

  test('answers 404 to a preflight of an unknown path', async () => {
    const answer = await ask(gateway, '/nowhere', 'OPTIONS', { origin: APP, ...PREFLIGHT });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, APP]);
  });

  test('requires credentials for OPTIONS that is no preflight', async () => {
    expect((await ask(gateway, '/agents', 'OPTIONS', { origin: APP })).status).toBe(401);
    const answer = await ask(gateway, '/agents', 'OPTIONS', { origin: APP, 'x-api-key': API_KEY });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
  });

  test('adds no CORS header to the response to a request without Origin', async () => {
    const answer = await ask(gateway, '/agents', 'GET', { 'x-api-key': API_KEY });
    expect([corsOf(answer), answer.headers.get('vary')]).toEqual([{}, 'Accept-Encoding, Origin']);
  });

  test.each([
    ['/health', {}, 200],
    ['/agents', {}, 401],
    ['/nowhere', {}, 404],
    ['/agents/%2f', {}, 400],
  ])('marks a response of %s as varying by Origin, whether one was sent or not', async (path, headers, status) => {
    for (const origin of [...ORIGINS, { origin: OTHER }]) {
      const answer = await ask(gateway, path, 'GET', { ...headers, ...origin });
      expect([answer.status, answer.headers.get('vary')]).toEqual([status, 'Origin']);
    }
  });

  test('leaves the registry open to all origins, by the headers of its service', async () => {
    const answer = await ask(gateway, '/api/skills', 'GET', { origin: OTHER });
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Age',
    });
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  });
});

describe('with CORS_ORIGINS=*', () => {
  test('lets any origin read, without credentials of the browser', async () => {
    const gateway = await startBefore({ CORS_ORIGINS: '*' });
    const answer = await ask(gateway, '/agents', 'GET', { origin: OTHER, 'x-api-key': API_KEY });
    expect(corsOf(answer)).toEqual({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    const withoutOrigin = await ask(gateway, '/agents', 'GET', { 'x-api-key': API_KEY });
    expect([corsOf(withoutOrigin), withoutOrigin.headers.get('vary')]).toEqual([corsOf(answer), 'Accept-Encoding']);
    const preflight = await ask(gateway, '/agents', 'OPTIONS', { origin: OTHER, ...PREFLIGHT });
    expect([preflight.status, corsOf(preflight)]).toMatchObject([204, { 'access-control-allow-origin': '*' }]);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    await gateway.close();
    await closeAll();
  });
});

describe('without CORS_ORIGINS', () => {
  test('opens only the registry, and answers its preflights', async () => {
    const fleet = await startFleet();
    for (const path of ['/agents', '/health', '/docs', '/nowhere']) {
      expect(corsOf(await ask(fleet, path, 'GET', { origin: APP }))).toEqual({});
    }
    expect((await ask(fleet, '/agents', 'OPTIONS', { origin: APP, ...PREFLIGHT })).status).toBe(401);
    const preflight = await ask(fleet, '/api/skills', 'OPTIONS', { origin: APP, ...PREFLIGHT });
    expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(corsOf(preflight)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': '*,Authorization',
    });
    await fleet.close();
  });

  test("opens the gateway's own errors on paths of the registry, with and without Origin", async () => {
    const away = await nowhere();
    const gateway = await startGateway({ AGENTS_URL: away, REGISTRY_URL: away });
    for (const [path, method, status] of [
      ['/api/skills', 'GET', 503],
      ['/registry.json', 'GET', 503],
      ['/api/skills/', 'GET', 404],
      ['/api/%2f', 'GET', 400],
    ] as const) {
      for (const headers of ORIGINS) {
        const answer = await ask(gateway, path, method, headers);
        expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, status, '*']);
        expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
      }
    }
    expect(corsOf(await ask(gateway, '/agents', 'GET', { origin: APP }))).toEqual({});
    await gateway.close();
  });
});
