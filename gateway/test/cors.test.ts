import { beforeAll, describe, expect, test } from '@jest/globals';
import { allServices, startGateway, type TestGateway, untilReady, WITH_KEY } from './support/gateway.ts';
import { startUpstream } from './support/proxy.ts';

const APP = 'https://app.example';
const OTHER = 'https://other.example';
const ORIGINS: Record<string, string>[] = [{}, { origin: APP }, { origin: OTHER }];
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
const EXPOSED =
  'ETag, Link, Location, X-Total-Count, X-Request-Id, Idempotency-Replayed, Retry-After, RateLimit, RateLimit-Policy';
const READABLE = { 'access-control-allow-origin': APP, 'access-control-expose-headers': EXPOSED };

/** A gateway in front of a service that sets its own CORS headers. */
async function startBefore(env: Record<string, string>): Promise<TestGateway> {
  const { url } = await startUpstream((req, res) => {
    if (req.method === 'OPTIONS') return void res.writeHead(204, { allow: 'GET, POST, HEAD, OPTIONS' }).end();
    const own = { 'access-control-allow-origin': OTHER, 'access-control-allow-credentials': 'true' };
    const open = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag, Age' };
    const isOpen = req.url?.startsWith('/api/');
    res.writeHead(200, { ...(isOpen ? open : own), vary: 'Accept-Encoding', etag: '"1"' }).end('{}');
  });
  const gateway = await startGateway({ ...allServices(url), ...env });
  await untilReady(gateway);
  return gateway;
}

async function sendRequest({ url }: TestGateway, request: string, headers: Record<string, string>) {
  const [method, path] = request.split(' ') as [string, string];
  const { status, headers: received } = await fetch(url + path, { method, headers });
  expect(received.get('x-request-id')).toBeTruthy();
  const cors = Object.fromEntries([...received].filter(([name]) => name.startsWith('access-control-')));
  return { status, cors, vary: received.get('vary'), allow: received.get('allow') };
}

describe('with CORS_ORIGINS', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startBefore({ CORS_ORIGINS: `${APP}, http://localhost:5173` });
  });

  test('responds to a preflight without credentials, with all methods', async () => {
    const { cors, ...rest } = await sendRequest(gateway, 'OPTIONS /agents', { origin: APP, ...PREFLIGHT });
    expect(rest).toEqual({ status: 204, allow: null, vary: 'Origin' });
    const { 'access-control-allow-headers': allowed = '', ...others } = cors;
    expect(others).toEqual({
      ...READABLE,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-max-age': '86400',
    });
    const names = ['Authorization', 'X-API-Key', 'If-Match', 'Idempotency-Key', 'Last-Event-ID', 'X-Lease-Token'];
    expect(allowed.split(',')).toEqual(expect.arrayContaining(names));
  });

  test.each([
    ['a response of a service', 'GET /agents', WITH_KEY, 200, 'Accept-Encoding, Origin'],
    ['a response of the gateway', 'GET /health', {}, 200, 'Origin'],
    ['401', 'GET /agents', {}, 401, 'Origin'],
    ['403', 'GET /agents', { 'x-api-key': 'wrong' }, 403, 'Origin'],
    ['404', 'GET /nowhere', {}, 404, 'Origin'],
    ['404 to a preflight', 'OPTIONS /nowhere', PREFLIGHT, 404, 'Origin'],
    ['400', 'GET /agents/%2f', {}, 400, 'Origin'],
  ])('lets a page of a known origin read %s, which varies by Origin', async (_what, request, headers, status, vary) => {
    for (const origin of ORIGINS) {
      const response = await sendRequest(gateway, request, { ...origin, ...headers });
      // With an unknown origin, OPTIONS is not treated as a preflight.
      if (origin.origin === APP || request.startsWith('GET'))
        expect([response.status, response.vary]).toEqual([status, vary]);
      expect(response.cors).toEqual(origin.origin === APP ? READABLE : {});
    }
  });

  test.each([OTHER, 'null', `${APP}.evil.example`, `${APP}:8443`, 'http://app.example', APP.toUpperCase()])(
    'allows a page of %s to read nothing, even if the service allows it',
    async (origin) => {
      const response = await sendRequest(gateway, 'GET /agents', { origin, ...WITH_KEY });
      expect(response).toMatchObject({ status: 200, cors: {}, vary: 'Accept-Encoding, Origin' });
      expect(response.cors).toEqual({});
      const preflight = await sendRequest(gateway, 'OPTIONS /agents', { origin, ...PREFLIGHT });
      expect([preflight.status, preflight.cors]).toEqual([401, {}]);
    },
  );

  test('requires credentials for OPTIONS that is not a preflight', async () => {
    expect((await sendRequest(gateway, 'OPTIONS /agents', { origin: APP })).status).toBe(401);
    const response = await sendRequest(gateway, 'OPTIONS /agents', { origin: APP, ...WITH_KEY });
    expect(response).toMatchObject({ status: 204, allow: 'GET, POST, HEAD, OPTIONS' });
  });

  test('leaves the registry open to all origins, by the headers of its service', async () => {
    const { cors, vary } = await sendRequest(gateway, 'GET /api/skills', { origin: OTHER });
    expect(cors).toEqual({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag, Age' });
    expect(vary).toBe('Accept-Encoding');
  });
});

test('with CORS_ORIGINS=* any origin may read, without browser credentials', async () => {
  const gateway = await startBefore({ CORS_ORIGINS: '*' });
  for (const origin of ORIGINS) {
    const { cors, vary } = await sendRequest(gateway, 'GET /agents', { ...origin, ...WITH_KEY });
    expect(cors).toEqual({ ...READABLE, 'access-control-allow-origin': '*' });
    expect(vary).toBe('Accept-Encoding');
  }
  const { status, cors } = await sendRequest(gateway, 'OPTIONS /agents', { origin: OTHER, ...PREFLIGHT });
  expect([status, cors['access-control-allow-origin']]).toEqual([204, '*']);
  expect(cors).not.toHaveProperty('access-control-allow-credentials');
});

test("without CORS_ORIGINS, opens the gateway's own errors on paths of the registry, with and without Origin", async () => {
  const gateway = await startGateway();
  for (const [path, expected] of Object.entries({
    '/api/skills': 503,
    '/registry.json': 503,
    '/api/skills/': 503,
    '/api/': 404,
    '/api/%2f': 400,
  })) {
    for (const origin of ORIGINS) {
      const { status, cors } = await sendRequest(gateway, `GET ${path}`, origin);
      expect([path, status, cors['access-control-allow-origin']]).toEqual([path, expected, '*']);
      expect(cors['access-control-expose-headers']).toContain('Retry-After');
    }
  }
  expect((await sendRequest(gateway, 'GET /agents', { origin: APP })).cors).toEqual({});
});
