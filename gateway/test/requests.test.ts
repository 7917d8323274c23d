import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { API_KEY, type Fleet, getToken, startFleet } from './support/gateway.ts';
import { rawGet, rawRequest } from './support/raw-request.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet.close());

const withKey = { 'x-api-key': API_KEY };
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  fetch(fleet.url + path, { method, headers });

test('every answer carries an X-Request-Id: the one of the request, or a new one', async () => {
  const requestIdOf = async (path: string, id?: string) =>
    (await ask(path, 'GET', { ...withKey, ...(id && { 'x-request-id': id }) })).headers.get('x-request-id');
  for (const path of ['/health', '/nowhere', '/agents', '/docs', '/openapi.json']) {
    expect(await requestIdOf(path, 'mine-7')).toBe('mine-7');
    expect(await requestIdOf(path)).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(await requestIdOf('/health', 'x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
});

describe('an unknown path is 404 without credentials too', () => {
  test.each([
    '/',
    '/nowhere',
    '/Agents',
    '/agents/',
    '/agents/7/',
    '/agents//tasks/7',
    '//agents',
    '/agents/7/unknown',
    '/api',
    '/api/',
    '/api/unknown',
    '/registry.json/',
    '/docs/',
    '/docs/index.html',
    '/docs/package.json',
    '/redoc/',
    '/token/',
    '/metrics',
    '/leases',
    '/constructor',
  ])('%s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await ask(path, method);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: 'not_found', message: 'No such path' });
    }
  });
});

describe('a path that is not canonical is 400 before anything else', () => {
  test.each([
    '/agents/../health',
    '/agents/%2e%2e/health',
    '/agents/.%2E/x',
    '/./agents',
    '/agents/a%2fb',
    '/agents/a%5Cb',
    '/agents/a\\b',
    '/agents/a%00b',
    '/agents/a%0ab',
    '/agents#x',
    'http://localhost/agents',
  ])('%s', async (target) => {
    const answer = await rawGet(fleet.url, target);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'validation_error' });
    expect(answer.head).toContain('x-request-id: ');
  });
});

test('anything else in the place of an id reaches the service', async () => {
  for (const id of ['a:b', '%20', '...', 'ä', '%F0%9F%98%80', '__proto__', '7;x=1', "'", '%25', '%zz']) {
    expect((await ask(`/agents/${id}`, 'GET', withKey)).status).toBe(200);
  }
});

describe('Host', () => {
  const get = (...hosts: string[]) =>
    rawRequest(
      fleet.url,
      ['GET /health HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''].join('\r\n'),
    );

  test('must be there once, as host[:port]', async () => {
    for (const host of ['localhost', 'localhost:80', '127.0.0.1', '[::1]:8080'])
      expect((await get(host)).status).toBe(200);
    for (const hosts of [[], ['a', 'a'], ['u@a'], ['a/b'], ['a b'], ['']]) {
      const answer = await get(...hosts);
      expect([hosts, answer.status]).toEqual([hosts, 400]);
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'validation_error' });
    }
  });
});

describe('methods', () => {
  test('TRACE and CONNECT are 405, and nothing is upgraded', async () => {
    expect((await rawRequest(fleet.url, 'TRACE /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).status).toBe(
      405,
    );
    const trace = (more: string) =>
      rawRequest(fleet.url, `TRACE /agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`);
    expect((await trace('')).status).toBe(401);
    expect((await trace(`X-API-Key: ${API_KEY}\r\n`)).status).toBe(405);
    expect((await rawRequest(fleet.url, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(405);
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGVzdA==', `X-API-Key: ${API_KEY}`];
    const lines = ['GET /agents HTTP/1.1', 'Host: a', 'Connection: close, upgrade', ...upgrade, '', ''];
    const answer = await rawRequest(fleet.url, lines.join('\r\n'));
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain('"upgrade"');
  });

  test.each(['/protected', '/health', '/ready', '/docs', '/redoc', '/openapi.json', '/docs/swagger-ui.css'])(
    '%s takes GET, HEAD and OPTIONS only',
    async (path) => {
      const headers = path === '/protected' ? await bearer() : {};
      const get = await ask(path, 'GET', headers);
      const head = await ask(path, 'HEAD', headers);
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      const options = await ask(path, 'OPTIONS', headers);
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await ask(path, method, headers);
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
        expect(await answer.json()).toMatchObject({ error: 'method_not_allowed' });
      }
    },
  );

  test('those of a service are known from its document', async () => {
    const answer = await ask('/agents', 'DELETE', withKey);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
    const options = await ask('/api/skills', 'OPTIONS');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  async function bearer(): Promise<Record<string, string>> {
    return { authorization: `Bearer ${await getToken(fleet.url)}` };
  }
});

test('headers over 64 KiB are 431 with our error body', async () => {
  const answer = await rawGet(fleet.url, '/health', `X-Big: ${'x'.repeat(70_000)}`);
  expect(answer.status).toBe(431);
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'headers_too_large' });
  expect(answer.head).toContain('x-request-id: ');
});
