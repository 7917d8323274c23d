import { expect, test } from '@jest/globals';
import { createRouteTable } from './route-table.ts';
import { isSignIn, UPSTREAM_NAMES, UPSTREAM_ROUTES } from './routes.ts';

const LONG_GET = { responseTimeoutMs: 30_000, waiting: ['GET', 'HEAD'] };
const LONG_POST = { responseTimeoutMs: 30_000, waiting: ['POST'] };

test.each([
  ['agents', '/agents', { responseTimeoutMs: 30_000, waiting: [] }],
  ['agents', '/leases', LONG_POST],
  ['agents', '/agents/{agent_id}/leases', LONG_POST],
  ['agents', '/agents/{agent_id}/tasks/{task_id}', LONG_GET],
  ['agents', '/agents/{agent_id}/tasks/{task_id}/events', LONG_GET],
  ['agents', '/agents/{agent_id}/tasks/{task_id}/log-entries', LONG_GET],
  ['agents', '/agents/{agent_id}/events', LONG_GET],
  ['agents', '/events', LONG_GET],
  ['registry', '/registry.json', { responseTimeoutMs: 15_000, waiting: [] }],
] as const)('the deadline of a route is known with its methods: %s %s', (upstream, template, deadline) => {
  const table = createRouteTable([], UPSTREAM_ROUTES);
  // Which operation it is is not known yet: it may be one that waits.
  expect(table.match(template)?.deadline).toBeUndefined();
  table.setPaths(upstream, [{ template, methods: ['get', 'post'], methodsWithBody: ['post'], scopes: new Map() }]);
  expect(table.match(template)?.deadline).toEqual(deadline);
});

test.each(UPSTREAM_NAMES)('%s has a path prefix', (name) => {
  expect(UPSTREAM_ROUTES.map(({ upstream }) => upstream)).toContain(name);
});

test.each([
  ['POST', '/token', true],
  ['POST', '/session', true],
  ['PUT', '/password-resets/{code}', true],
  // Until the document of identity is known.
  ['POST', '/token*', true],
  ['POST', '/session*', true],
  ['PUT', '/password-resets/*', true],
  ['GET', '/session', false],
  ['DELETE', '/session', false],
  ['POST', '/sessions', false],
  ['POST', '/revoke', false],
  ['GET', '/token', false],
  ['POST', '/password-resets/{code}', false],
  ['POST', '/users/{user_id}/password-resets', false],
  ['PATCH', '/token', false],
  ['constructor', '/token', false],
])('%s %s is a sign-in: %p', (method, template, expected) => {
  expect(isSignIn(template, method)).toBe(expected);
});

test('a path that no route has is no sign-in', () => {
  expect(isSignIn(undefined, 'POST')).toBe(false);
});
