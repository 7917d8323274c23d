import { hash } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { send } from '../support/requests.ts';
import { createWebRoot, FILES, toShell } from '../support/web-root.ts';

const PREFIX = '/ops/fleet';
const LINKS =
  '<html data-prefix=""><a href="/console">/console</a><a href="//other.example"></a><form action="/"></form>' +
  '<a href="https://other.example/x">';
const PREFIXED =
  `<html data-prefix="${PREFIX}"><a href="${PREFIX}/console">/console</a><a href="//other.example"></a>` +
  `<form action="${PREFIX}/"></form><a href="https://other.example/x">`;

let gateway: GatewayWithServices;
beforeAll(async () => {
  const files = { ...FILES, 'console.html': toShell('console') + LINKS };
  gateway = await startWithServices({ WEB_ROOT: createWebRoot(files), PUBLIC_URL: `https://fleet.example${PREFIX}/` });
});

const textOf = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(gateway.url + path, { headers })).text();

test.each(['identity', 'gzip', 'br'])('a page has the prefix in its links, in the coding %s', async (coding) => {
  const html = await textOf('/console/tasks', { 'accept-encoding': coding });
  const script = '<script type="module" src="/assets/console-AAAA1111.js">';
  expect(html).toBe(toShell('console').replace(script, script.replace('/assets', `${PREFIX}/assets`)) + PREFIXED);
});

test('a page may still run its inline scripts, and assets are as they were', async () => {
  const { headers } = await fetch(`${gateway.url}/console`);
  const [, script = ''] = /<script>(.*?)<\/script>/.exec(toShell('console')) ?? [];
  expect(headers.get('content-security-policy')).toContain(`'sha256-${hash('sha256', script, 'base64')}'`);
  expect(await textOf('/assets/console-AAAA1111.js')).toBe(FILES['assets/console-AAAA1111.js']);
});

test.each(['/docs', '/redoc'])('%s links to nothing outside of the prefix', async (path) => {
  const html = await textOf(path);
  const paths = [...html.matchAll(/(?:src|href|spec-url)="(\/[^"]*)"/g)].map(([, found = '']) => found);
  expect(paths.length).toBeGreaterThan(4);
  expect(paths.filter((found) => !found.startsWith(`${PREFIX}/`))).toEqual([]);
});

test('the API document names the prefix as its server, and Swagger UI finds it there', async () => {
  expect(JSON.parse(await textOf('/openapi.json')).servers).toEqual([{ url: PREFIX }]);
  expect(await textOf('/docs/swagger-ui-init.js')).toContain(`"swaggerUrl": "${PREFIX}/openapi.json"`);
});

test.each([
  ['https://fleet.example', 200],
  ['https://fleet.example:443', 200],
  ['https://fleet.example:444', 403],
  ['https://other.example', 403],
])('a browser at %s may sign in: %i', async (origin, status) => {
  const headers = { origin, 'content-type': 'application/json' };
  expect((await send(gateway, '/session', { method: 'POST', headers, body: '{}' })).status).toBe(status);
});

test('services learn the public address, also when an untrusted proxy says another', async () => {
  const before = gateway.reached().length;
  await textOf('/api/skills', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' });
  const { headers } = gateway.reached()[before] ?? {};
  expect(headers).toMatchObject({ 'x-forwarded-host': 'fleet.example', 'x-forwarded-proto': 'https' });
});
