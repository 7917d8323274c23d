import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { startGateway, type TestGateway, WITH_KEY } from '../support/gateway.ts';
import { startUpstream } from '../support/proxy.ts';

const get = { get: { responses: { 200: { description: 'Fine.' } }, 'x-required-scope': 'agents:read' } };
const withScope = (scope: unknown) => ({ get: { ...get.get, 'x-required-scope': scope } });
const documentOf = (paths: object, rest: object = {}) => JSON.stringify({ openapi: '3.1.0', paths, ...rest });
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const withSchema = (schema: string) =>
  `{"openapi":"3.1.0","paths":{"/agents":{"get":{"x-required-scope":null,"responses":{"200":{"description":"","content":{"a/b":{"schema":${schema}}}}}}}}}`;

/** A gateway in front of an agents service with this API document; tests can replace `reply`. */
async function startBefore(first: string | RequestListener) {
  const service = { reply: first };
  const { url } = await startUpstream((req, res) => {
    if (req.url !== '/openapi.json') res.end(`{"reached":"${req.url}"}`);
    else if (typeof service.reply === 'string') res.end(service.reply);
    else service.reply(req, res);
  });
  const gateway = await startGateway({ AGENTS_URL: url }, 300);
  const reasons = () =>
    gateway.logs
      .filter(({ msg, upstream }) => msg === 'failed to load the OpenAPI document' && upstream === 'agents')
      .map(({ reason }) => String(reason));
  return { gateway, service, reasons };
}

const withKey = { headers: WITH_KEY };
const statusOf = async ({ url }: TestGateway, path: string, init: RequestInit = withKey) =>
  (await fetch(url + path, init)).status;
const pathsOf = async ({ url }: TestGateway) =>
  Object.keys(((await (await fetch(`${url}/openapi.json`)).json()) as { paths: object }).paths);

describe('a document is refused with one log line, and its service is routed by prefix, for', () => {
  test.each<[string, string | RequestListener, RegExp]>([
    ['a page', '<!DOCTYPE html><script>alert(1)</script>', /is not JSON/],
    ['nothing', '', /is not JSON/],
    ['two documents', `${documentOf({ '/agents': get })}{}`, /is not JSON/],
    ['a byte order mark', `\ufeff${documentOf({ '/agents': get })}`, /is not JSON|not OpenAPI/],
    ['null', 'null', /not OpenAPI 3\.1/],
    ['a list', '[]', /not OpenAPI 3\.1/],
    ['a redirect', (_req, res) => res.writeHead(302, { location: '/ready' }).end(), /responded with 302/],
    [
      'an error with a document',
      (_req, res) => res.writeHead(500).end(documentOf({ '/agents': get })),
      /responded with 500/,
    ],
    ['an unrequested 304', (_req, res) => res.writeHead(304).end(), /responded with 304/],
    [
      'a bomb',
      (_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
      /is not JSON/,
    ],
    ['over 1 MiB', documentOf({ '/agents': { description: 'x'.repeat(1024 * 1024) } }), /larger than/],
    ['ten thousand levels', withSchema(nested(10_000)), /nested deeper than 64/],
    ['a hundred thousand levels', withSchema(nested(100_000)), /nested deeper than 64|larger than|not JSON/],
    ['too many values', withSchema(`{"enum":[${'0,'.repeat(200_000)}0]}`), /more than 20000 values/],
    ['a path of dots', documentOf({ '/agents/../health': get }), /is not a valid path/],
    ['a path of escapes', documentOf({ '/agents/%2e%2e': get }), /is not a valid path/],
    ['a path with markup', documentOf({ '/agents/<script>': get }), /is not a valid path/],
    ['a path with a query', documentOf({ '/agents?a={b}': get, '/agents/?a': get }), /is not a valid path/],
    ['a path of 10,000 characters', documentOf({ [`/agents/${'a'.repeat(10_000)}`]: get }), /is not a valid path/],
    ['a path with an unclosed parameter', documentOf({ '/agents/{a': get }), /is not a valid path/],
    [
      'an operation without a scope',
      documentOf({ '/agents': { ...get, post: { responses: {} } } }),
      /agents: post \/agents declares no scope/,
    ],
    ['an unknown scope', documentOf({ '/agents': withScope('agents:all') }), /get: has an unknown scope/],
    [
      'a scope that is a name of an object',
      documentOf({ '/agents': withScope('constructor') }),
      /has an unknown scope/,
    ],
    ['a list of scopes', documentOf({ '/agents': withScope(['agents:read']) }), /has an unknown scope/],
    ['two names of one path', documentOf({ '/agents/{a}': get, '/agents/{b}': get }), /is already declared by agents/],
    [
      'two shapes of one path',
      documentOf({ '/agents/{a}.json': get, '/agents/{b}': get }),
      /is already declared by agents/,
    ],
    [
      'paths of others only',
      documentOf({ '/token': get, '/docs': get, '/api/skills': get, '/{x}': get }),
      /none of the paths/,
    ],
    [
      'too many operations',
      documentOf(Object.fromEntries(Array.from({ length: 251 }, (_, at) => [`/agents/a${at}`, get]))),
      /more than 250 operations/,
    ],
  ])('%s', async (_what, reply, reason) => {
    const { gateway, reasons } = await startBefore(reply);
    await until(async () => reasons().length > 0);
    expect(reasons()).toHaveLength(1);
    expect(reasons()[0]).toMatch(reason);
    expect(reasons()[0]?.length).toBeLessThan(400);
    expect(await pathsOf(gateway)).not.toContain('/agents');
    expect(await statusOf(gateway, '/agents/7')).toBe(200);
    expect(await statusOf(gateway, '/agents/7', {})).toBe(401);
  });

  test('a document that never ends is aborted, and requests are served meanwhile', async () => {
    const { gateway, reasons } = await startBefore((_req, res) => {
      res.writeHead(200);
      const drip = setInterval(() => res.write(' '), 50);
      res.on('close', () => clearInterval(drip));
    });
    expect(await statusOf(gateway, '/agents/7')).toBe(200);
    await until(async () => reasons().length > 0);
    expect(reasons()[0]).toMatch(/timeout|aborted/i);
  });
});

describe('a changed document', () => {
  test('that is invalid leaves the last valid one in place until the next valid one', async () => {
    const good = documentOf({ '/agents': get });
    const { gateway, service, reasons } = await startBefore(good);
    await until(async () => (await pathsOf(gateway)).includes('/agents'));
    service.reply = withSchema(nested(1_000));
    await until(async () => reasons().length > 0);
    expect(await pathsOf(gateway)).toContain('/agents');
    expect(await statusOf(gateway, '/agents/7')).toBe(404);
    expect(await statusOf(gateway, '/agents', { ...withKey, method: 'POST' })).toBe(405);
    service.reply = documentOf({ '/agents/{agent_id}': get });
    await until(async () => (await pathsOf(gateway)).includes('/agents/{agent_id}'));
    expect(await statusOf(gateway, '/agents/7')).toBe(200);
    expect(await statusOf(gateway, '/agents')).toBe(404);
  });
});

test('an accepted document opens no path, shadows no other document, and loses links to other hosts', async () => {
  const evil = 'https://evil.example';
  const operation = {
    responses: { 200: { description: 'Fine.', links: { next: { operationId: 'x', server: { url: evil } } } } },
    security: [],
    'x-required-scope': 'agents:read',
    servers: [{ url: evil }],
    externalDocs: { url: `${evil}/docs` },
    'x-logo': { url: evil },
    callbacks: { a: { [evil]: get } },
    operationId: 'readHealth',
  };
  const item = {
    get: operation,
    trace: operation,
    options: operation,
    'x-script': '<script>',
    servers: [{ url: evil }],
  };
  const { gateway } = await startBefore(
    documentOf(
      {
        '/agents/{a}/{b}': item,
        '/{x}': item,
        '/health': item,
        '/protected': item,
        '/api/{x}': item,
        __proto__: item,
      },
      {
        security: [],
        servers: [{ url: evil }],
        webhooks: { a: item },
        'x-tagGroups': [evil],
        externalDocs: { url: evil },
      },
    ),
  );
  await until(async () => (await pathsOf(gateway)).includes('/agents/{a}/{b}'));
  const text = await (await fetch(`${gateway.url}/openapi.json`)).text();
  expect(text).not.toMatch(/evil|x-script|x-logo|webhooks|callbacks|links/);
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, object>> };
  expect(Object.keys(paths['/agents/{a}/{b}'] ?? {})).toEqual(['get']);
  expect(paths['/agents/{a}/{b}']?.get).toMatchObject({
    security: [{ bearer: ['agents:read'] }, { apiKey: [] }, { session: [] }],
    operationId: 'readHealth',
  });
  expect(paths['/health']?.get).toMatchObject({ operationId: 'gateway_readHealth', security: [] });
  expect(await statusOf(gateway, '/agents/a/b', {})).toBe(401);
  expect(await statusOf(gateway, '/protected', {})).toBe(401);
  expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ok' });
});
