import { hash } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { exchangeRaw } from '../support/raw-client.ts';
import { createWebRoot, FILES, SCRIPT, STYLE } from '../support/web-root.ts';

const SCRIPT_PATH = '/assets/console-AAAA1111.js';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const sha256 = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

let gateway: GatewayWithServices;
beforeAll(async () => {
  gateway = await startWithServices({ WEB_ROOT: createWebRoot() });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.url + path, { method, headers: { 'accept-encoding': 'identity', ...headers } });

test.each([
  ['/', 'catalogue'],
  ['/?q=pdf', 'catalogue'],
  ['/skills/0123abcd', 'catalogue'],
  ['/skills/a/b', 'catalogue'],
  ['/guide', 'catalogue'],
  ['/guide/redis', 'catalogue'],
  ['/console', 'console'],
  ['/console/', 'console'],
  ['/console/tasks?status=failed', 'console'],
  ['/console/agents/7/tasks/8', 'console'],
  ['/console/%2e%2e%20x', 'console'],
  ['/console/no/such/page/at/all', 'console'],
] as const)('%s is the document of the %s', async (path, name) => {
  const page = await get(path);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toBe(FILES[`${name}.html`]);
  expect(page.headers.get('cache-control')).toBe('no-cache');
});

test.each(
  [
    ['/skills', '/skillsx', '/consolex', '/Console', '/assets', '/assets/', '/assets/none-AAAA1111.js', '/index.html'],
    [
      '/catalogue.html',
      '/console.html',
      '/notes.txt',
      `${SCRIPT_PATH}.br`,
      '/assets/..%2fconsole.html',
      '/favicon.ico',
    ],
    ['/skills/..', '/console/../agents', '/console/%2e%2e/agents', '/console/a%2fb', '//console', '/docs/', '/docs/x'],
  ].flat(),
)('%s is no page', async (path) => {
  const text = await exchangeRaw(gateway.server.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(text).toMatch(/\r\n\r\n\{"error":"(?:not_found|validation_error)"/);
});

test.each([
  [SCRIPT_PATH, 'text/javascript; charset=utf-8', IMMUTABLE],
  ['/assets/tiny-BBBB2222.css', 'text/css; charset=utf-8', IMMUTABLE],
  ['/assets/mark-CCCC3333.svg', 'image/svg+xml', IMMUTABLE],
  ['/favicon.svg', 'image/svg+xml', 'no-cache'],
  ['/download/fleet.tgz', 'application/octet-stream', 'no-cache'],
  ['/download/agent_fleet-3.2.1-py3-none-any.whl', 'application/octet-stream', 'no-cache'],
])('%s has its media type and may be cached', async (path, type, cacheControl) => {
  const file = await get(path);
  expect(file.status).toBe(200);
  expect(file.headers.get('content-type')).toContain(type);
  expect(file.headers.get('cache-control')).toBe(cacheControl);
  expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await file.text()).toBe(FILES[path.slice(1) as keyof typeof FILES]);
});

test('a page may load nothing from other origins, and run only the scripts that are built', async () => {
  const { headers } = await get('/console/tasks');
  expect(headers.get('content-security-policy')).toBe(
    [
      "default-src 'none'",
      `script-src 'self' ${sha256(SCRIPT)}`,
      "connect-src 'self'",
      "img-src 'self' data:",
      `style-src 'self' ${sha256(STYLE)}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
  );
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
});

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.5', 'br'],
  ['*', 'br'],
  ['zstd', null],
  ['identity', null],
  ['', null],
])('Accept-Encoding %j gets %s, with an entity tag of its own', async (accepted, coding) => {
  for (const path of ['/console', SCRIPT_PATH]) {
    const { headers, status } = await get(path, { 'accept-encoding': accepted });
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([200, coding, 'Accept-Encoding']);
    const etag = headers.get('etag') as string;
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': `"other", ${etag}` });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    for (const name of ['etag', 'vary', 'cache-control', 'content-security-policy']) {
      expect(again.headers.get(name)).toBe(headers.get(name));
    }
    const other = coding === 'br' ? 'gzip' : 'br';
    expect((await get(path, { 'accept-encoding': other, 'if-none-match': etag })).status).toBe(200);
  }
});

test('a file that is there in one coding only does not vary', async () => {
  const { headers } = await get('/assets/tiny-BBBB2222.css', { 'accept-encoding': 'br' });
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, null]);
});

test('a client that this build does not have is said to be missing, at every path below /download', async () => {
  const plain = await startWithServices();
  for (const url of [`${gateway.url}/download/agent_fleet-9.9.9-py3-none-any.whl`, `${plain.url}/download/fleet.tgz`]) {
    const response = await fetch(url, { headers: { 'x-api-key': 'wrong' } });
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: 'not_found', message: 'This build of Agent Fleet has no such client' },
    ]);
    const { status, headers } = await fetch(url, { method: 'PUT' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  }
});

test('HEAD is like GET without the body; other methods are 405, OPTIONS 204', async () => {
  for (const path of ['/', '/console/tasks', SCRIPT_PATH, '/favicon.svg', '/download/fleet.tgz']) {
    const [whole, head] = [await get(path), await get(path, {}, 'HEAD')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    }
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await get(path, {}, method);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect((await get(path, {}, 'OPTIONS')).status).toBe(204);
  }
});

test('pages are public, and do not look at credentials', async () => {
  const wrong = { 'x-api-key': 'wrong', authorization: 'Bearer wrong', cookie: 'fleet=wrong' };
  for (const [name, value] of Object.entries(wrong)) {
    for (const [path, cacheControl] of [
      ['/console', 'no-cache'],
      [SCRIPT_PATH, IMMUTABLE],
    ] as const) {
      const response = await get(path, { [name]: value });
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, cacheControl]);
    }
  }
});

test('the access log and the metrics have one route for all pages of the console', async () => {
  for (const path of ['/console/x1', '/console/x2/y']) await get(path);
  expect(await gateway.metrics()).toContain('route="/console/*"');
  expect(await gateway.metrics()).not.toContain('/console/x');
});

test('another site may be allowed to call the API, and responses still vary by coding', async () => {
  const env = { WEB_ROOT: createWebRoot(), CORS_ORIGINS: 'https://app.example' };
  const open = await startWithServices(env);
  const { headers } = await fetch(`${open.url}/console`, { headers: { 'accept-encoding': 'br' } });
  expect(headers.get('vary')).toBe('Origin, Accept-Encoding');
});

test('without WEB_ROOT there are no pages but those of the API', async () => {
  const plain = await startWithServices();
  for (const path of ['/', '/skills/x', '/console', '/console/tasks', '/assets/x.js', '/favicon.svg']) {
    const response = await fetch(plain.url + path);
    expect([path, response.status, await response.json()]).toEqual([
      path,
      404,
      expect.objectContaining({ error: 'not_found' }),
    ]);
  }
  expect((await fetch(`${plain.url}/docs`)).status).toBe(200);
});
