import { expect, test } from '@jest/globals';
import { createRouteTable } from './route-table.ts';
import { UPSTREAM_ROUTES } from './routes.ts';

const own = [{ path: '/health', security: 'public' as const, method: 'get' as const }];
const withGet = (template: string) => ({ template, methods: ['get'], methodsWithBody: [] });
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

test('lists the methods of a path in the order of its document, with HEAD for GET and OPTIONS always', () => {
  const table = createTable();
  table.setPaths('agents', [
    { template: '/agents', methods: ['post', 'get', 'options'], methodsWithBody: ['post'] },
    { template: '/leases', methods: ['post'], methodsWithBody: [] },
  ]);
  expect(table.match('/agents')?.methods?.allow).toBe('POST, GET, HEAD, OPTIONS');
  expect(table.match('/leases')?.methods?.allow).toBe('POST, OPTIONS');
  expect(table.match('/health')?.methods?.allow).toBe('GET, HEAD, OPTIONS');
  expect(table.match('/leases')?.methods?.has('GET')).toBe(false);
  expect(table.match('/api/skills')?.methods).toBeUndefined();
});
