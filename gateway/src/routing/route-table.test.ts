import type { Scope } from '@agent-fleet/shared/identity/scopes';
import { expect, test } from '@jest/globals';
import { createRouteTable, isPublic } from './route-table.ts';
import { UPSTREAM_ROUTES } from './routes.ts';

const own = [{ path: '/health', security: 'public' as const, method: 'get' as const }];
const scopes = new Map<string, Scope>();
const withGet = (template: string) => ({ template, methods: ['get'], methodsWithBody: [], scopes });
const createTable = () => createRouteTable(own, UPSTREAM_ROUTES);

test('matches by prefix until the document of a service has been read', () => {
  const table = createTable();
  expect(table.match('/agents/7/anything')).toEqual({
    template: '/agents*',
    access: 'credentials',
    upstream: 'agents',
  });
  for (const path of ['/api/skills', '/registry.json', '/.well-known/agent-skills/index.json']) {
    expect(table.match(path)).toMatchObject({ access: 'public', upstream: 'registry' });
  }
});

test.each([
  ...['/', '/api', '/api/', '/agents/', '/agentsx', '/AGENTS', '/health/', '/registry.jsonx', '/constructor'],
  ...['/.well-known', '/.well-known/', '/.well-known/agent-skills', '/.well-known/agent-skills/', '/.well-known/x'],
])('matches no prefix for the path %s', (path) => {
  expect(createTable().match(path)).toBeUndefined();
});

test('matches only documented paths of a service whose document has been read, and those of another by prefix', () => {
  const table = createTable();
  table.setPaths('agents', [withGet('/agents'), withGet('/agents/{agent_id}')]);
  expect(table.match('/agents/7')?.template).toBe('/agents/{agent_id}');
  expect(table.match('/agents/7/anything')).toBeUndefined();
  expect(table.match('/tasks')).toBeUndefined();
  expect(table.match('/api/skills')?.template).toBe('/api/*');
});

test('ignores paths of another service or of the gateway in the document of a service', () => {
  const table = createTable();
  table.setPaths('registry', ['/api/skills', '/agents', '/health', '/elsewhere'].map(withGet));
  expect(table.match('/agents')?.upstream).toBe('agents');
  expect(table.match('/health')?.upstream).toBeUndefined();
  expect(table.match('/elsewhere')).toBeUndefined();
  expect(table.prefixOf('registry', '/agents')).toBeUndefined();
});

test('a path of its own may stand for all below it, and for none beside it', () => {
  const table = createRouteTable(
    ['/', '/console', '/console/*', '/agents/*'].map((path) => ({ path, security: 'public', method: 'get' })),
    UPSTREAM_ROUTES,
  );
  for (const path of ['/console/', '/console/a', '/console/a/b/c/', '/console//', '/console/*']) {
    expect([path, table.match(path)]).toEqual([path, expect.objectContaining({ template: '/console/*' })]);
    expect(table.match(path)?.methods?.allow).toBe('GET, HEAD, OPTIONS');
  }
  expect(table.match('/console')?.template).toBe('/console');
  expect(table.match('/')?.template).toBe('/');
  for (const path of ['/consolex', '/consolex/a', '/Console/a', '//console/a', '/x/console/a', '/*', '/*/a', '//']) {
    expect([path, table.match(path)]).toEqual([path, undefined]);
  }
  // A service's paths stay its own.
  expect(table.match('/agents/7')?.upstream).toBe('agents');
});

test('lists the methods of a path in the order of its document, with HEAD for GET and OPTIONS always', () => {
  const table = createTable();
  table.setPaths('agents', [
    { template: '/agents', methods: ['post', 'get', 'options'], methodsWithBody: ['post'], scopes },
    { template: '/leases', methods: ['post'], methodsWithBody: [], scopes },
  ]);
  expect(table.match('/agents')?.methods?.allow).toBe('POST, GET, HEAD, OPTIONS');
  expect(table.match('/leases')?.methods?.allow).toBe('POST, OPTIONS');
  expect(table.match('/health')?.methods?.allow).toBe('GET, HEAD, OPTIONS');
  expect(table.match('/leases')?.methods?.has('GET')).toBe(false);
  expect(table.match('/api/skills')?.methods).toBeUndefined();
});

test('knows the scope of each method, and HEAD needs what GET needs', () => {
  const table = createTable();
  const declared = new Map<string, Scope>([
    ['get', 'agents:read'],
    ['head', 'users:admin'],
    ['post', 'agents:write'],
  ]);
  table.setPaths('agents', [
    { template: '/agents', methods: ['get', 'head', 'post', 'put'], methodsWithBody: [], scopes: declared },
  ]);
  expect(Object.fromEntries(table.match('/agents')?.scopes ?? [])).toEqual({
    GET: 'agents:read',
    HEAD: 'agents:read',
    POST: 'agents:write',
  });
  // The service alone checks it until its document is known.
  expect(table.match('/users')?.scopes).toBeUndefined();
});

test('a method may be public although its path is not, before and after the document is known', () => {
  const table = createTable();
  const expectSession = () => {
    const route = table.match('/session');
    expect(['POST', 'GET', 'DELETE', 'HEAD', 'post'].map((method) => isPublic(route, method))).toEqual([
      ...[true, false, false, false, false],
    ]);
  };
  expectSession();
  const methods = ['get', 'post', 'delete'];
  table.setPaths('identity', [{ template: '/session', methods, methodsWithBody: ['post'], scopes }]);
  expectSession();
  expect(table.match('/sessions')).toBeUndefined();
  expect(isPublic(undefined, 'GET')).toBe(false);
});
