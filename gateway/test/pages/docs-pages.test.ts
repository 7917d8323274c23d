import { beforeAll, expect, test } from '@jest/globals';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { createWebRoot } from '../support/web-root.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

test.each(['/docs', '/redoc'])(
  '%s may load nothing from other origins, and only known scripts and styles',
  async (path) => {
    const page = await get(path);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).toMatch(/style-src (?:'self' )?'sha256-/);
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/);
    const urls = [...html.matchAll(/(?:src|href|spec-url)=["']([^"']+)["']/g)].map(([, url = '']) => url);
    expect(urls.length).toBeGreaterThan(2);
    for (const url of urls) expect(url).toMatch(/^(?:\/[^/]|data:)/);
  },
);

const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>/g)].map(([, href]) => href);

test('the pages link to each other, and to the catalogue and the console where the gateway serves those', async () => {
  const withWeb = await startGateway({ WEB_ROOT: createWebRoot() });
  for (const path of ['/docs', '/redoc']) {
    expect(linksIn(await (await get(path)).text())).toEqual(['/docs', '/redoc']);
    const html = await (await fetch(withWeb.url + path)).text();
    expect(linksIn(html)).toEqual(['/', '/console', '/docs', '/redoc']);
    expect(html).toContain(`<a href="${path}" aria-current="page">`);
  }
});

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

test.each(['/docs', '/redoc', '/docs/swagger-ui.css'])('%s has headers against framing and sniffing', async (path) => {
  const { headers } = await get(path);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
});

test('ReDoc sanitizes the markup of descriptions', async () => {
  expect(await (await get('/redoc')).text()).toContain('sanitize="true"');
});
