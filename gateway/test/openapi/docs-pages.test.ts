import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nowhere, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const services = await nowhere();
  gateway = await startGateway({ AGENTS_URL: services, REGISTRY_URL: services });
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, { redirect: 'manual', headers });

async function loadedBy(path: string): Promise<string[]> {
  const html = await (await get(path)).text();
  return [...html.matchAll(/(?:src|href|spec-url)=["']([^"']+)["']/g)].map(([, url = '']) => url);
}

test.each(['/docs', '/redoc'])('%s loads nothing from other origins', async (path) => {
  const page = await get(path);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const urls = await loadedBy(path);
  expect(urls.length).toBeGreaterThan(2);
  for (const url of urls.filter((url) => !url.startsWith('data:'))) {
    expect(url).toMatch(/^\/[^/]/);
    expect([url, (await get(url)).status]).toEqual([url, 200]);
  }
});

test.each(['/docs', '/redoc'])(
  'the policy of %s names no other origin, and scripts and styles only that are known',
  async (path) => {
    const policy = (await get(path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).toMatch(/style-src (?:'self' )?'sha256-/);
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    const html = await (await get(path)).text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/);
  },
);

test('Swagger UI shows the combined document, keeps credentials and uses no validator', async () => {
  const init = await (await get('/docs/swagger-ui-init.js')).text();
  expect(init).toContain('"swaggerUrl": "/openapi.json"');
  expect(init).toContain('"persistAuthorization": true');
  expect(init).toContain('"validatorUrl": null');
});

test('the bundle of ReDoc loads no logo from another host', async () => {
  const bundle = await (await get('/redoc/redoc.standalone.js')).text();
  expect(bundle.length).toBeGreaterThan(500_000);
  expect(bundle).not.toContain('cdn.redoc.ly');
});

test('files of the pages support conditional requests', async () => {
  for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/redoc/redoc.standalone.js', '/docs/favicon-32x32.png']) {
    const etag = (await get(path)).headers.get('etag') as string;
    const again = await get(path, { 'if-none-match': etag });
    expect([path, again.status, (await again.arrayBuffer()).byteLength]).toEqual([path, 304, 0]);
  }
});

test('pages have headers against framing and sniffing', async () => {
  for (const path of ['/docs', '/redoc', '/docs/swagger-ui.css']) {
    const { headers } = await get(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
  }
});

test('ReDoc sanitizes the markup of descriptions', async () => {
  expect(await (await get('/redoc')).text()).toContain('sanitize="true"');
});

test('every response of the gateway has nosniff', async () => {
  for (const path of [
    '/health',
    '/ready',
    '/openapi.json',
    '/redoc',
    '/nowhere',
    '/agents',
    '/agents/%2f',
    '/api/skills',
  ]) {
    expect([path, (await get(path)).headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
  }
});
