import { SCOPE_NAMES } from '@agent-fleet/shared/identity/scopes';
import { afterAll, expect, test } from '@jest/globals';
import { callerHeaders } from '../support/callers.ts';
import { startService } from '../support/start-service.ts';

const INTERNAL_TOKEN = 'an-internal-token-of-tests';
const internal = { 'x-fleet-internal-token': INTERNAL_TOKEN };

const service = await startService({ env: { INTERNAL_TOKEN } });
afterAll(() => service.close());

type Method = 'get' | 'post' | 'put' | 'delete';
type Document = { paths: Record<string, Record<Method, { 'x-required-scope'?: string }>> };

const { body } = await service.http.get('/openapi.json').set(internal);
const operations = Object.entries((body as Document).paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method as Method,
    path: path.replace(/\{\w+\}/g, 'missing'),
    scope: operation['x-required-scope'] as string,
  })),
);

const send = (method: Method, path: string, headers: Record<string, string>) =>
  service.http[method](path).set({ ...internal, ...headers });

test('has an operation for each of its scopes', () => {
  const expected = ['agents:read', 'agents:write', 'events:read', 'leases:write', 'tasks:read', 'tasks:write'];
  expect([...new Set(operations.map(({ scope }) => scope))].toSorted()).toEqual(expected);
  expect(operations.length).toBeGreaterThan(20);
});

test.each(operations)('$method $path is for callers with $scope only', async ({ method, path, scope }) => {
  const others = SCOPE_NAMES.filter((name) => name !== scope);
  const refused = await send(method, path, callerHeaders('user:ada@example.com', { scopes: others }));
  expect([refused.status, refused.body]).toEqual([
    403,
    { error: 'forbidden', message: expect.any(String), details: { required: scope } },
  ]);
  const served = await send(method, path, callerHeaders('user:ada@example.com', { scopes: [scope] }));
  expect(served.status).not.toBe(403);
});

test('refuses callers without a principal, without scopes, and with parts of a scope', async () => {
  const { 'x-fleet-principal': _, ...noPrincipal } = callerHeaders('user:ada@example.com');
  const { 'x-fleet-scopes': _scopes, ...noScopes } = callerHeaders('user:ada@example.com');
  expect((await send('get', '/agents', noPrincipal)).status).toBe(403);
  expect((await send('get', '/agents', noScopes)).status).toBe(403);
  for (const scopes of ['', 'agents:', 'agents:read2', 'AGENTS:READ', '*', 'agents:read,agents:write']) {
    expect((await send('get', '/agents', { ...noScopes, 'x-fleet-scopes': scopes })).status).toBe(403);
  }
});

test('refuses for lack of scope before it reads the body or looks for the agent', async () => {
  const viewer = callerHeaders('user:ada@example.com', { scopes: ['agents:read', 'tasks:read'] });
  const request = send('post', '/agents/missing/tasks', { ...viewer, 'content-type': 'text/plain' });
  expect((await request.send('no JSON')).status).toBe(403);
});
