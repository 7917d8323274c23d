import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import {
  createRouteTable,
  isPublic,
  isWaiting,
  type OwnPath,
  type Route,
  SERVICE_PATHS,
  UPSTREAM_NAMES,
} from './routes.ts';

const own: OwnPath[] = ['/', '/health', '/console', '/console/*', '/agents/*', '/files/{file}'].map((path) => ({
  path,
  security: 'public',
}));
const find = createRouteTable(own);
const routeOf = (path: string) => find(path) as Route;

test.each([
  ['/agents', '/agents*', 'agents'],
  ['/agents/', '/agents*', 'agents'],
  ['/agents/7/anything', '/agents*', 'agents'],
  ['/session', '/session*', 'identity'],
  ['/sessions/7', '/sessions*', 'identity'],
  ['/api/skills', '/api/*', 'registry'],
  ['/registry.json', '/registry.json*', 'registry'],
  ['/.well-known/agent-skills/index.json', '/.well-known/agent-skills/*', 'registry'],
  ['/health', '/health', undefined],
  ['/', '/', undefined],
])('%s belongs to the route %s', (path, template, upstream) => {
  expect(find(path)).toMatchObject({ template, ...(upstream !== undefined && { upstream }) });
});

test.each([
  ...['/api', '/api/', '/agentsx', '/AGENTS', '/health/', '/registry.jsonx', '/constructor', '//agents'],
  ...['/.well-known', '/.well-known/', '/.well-known/agent-skills', '/.well-known/agent-skills/', '/.well-known/x'],
])('%s belongs to no route', (path) => {
  expect(find(path)).toBeUndefined();
});

test('a path of its own may stand for all below it, and for none beside it', () => {
  for (const path of ['/console/', '/console/a', '/console/a/b/c/', '/console//', '/console/*']) {
    expect([path, find(path)?.template]).toEqual([path, '/console/*']);
  }
  expect(find('/console')?.template).toBe('/console');
  expect([find('/files/a.tgz')?.template, find('/files')]).toEqual(['/files/{file}', undefined]);
  for (const path of ['/consolex', '/consolex/a', '/Console/a', '//console/a', '/x/console/a', '/*', '/*/a', '//']) {
    expect([path, find(path)]).toEqual([path, undefined]);
  }
  // A service's paths stay its own.
  expect(find('/agents/7')?.upstream).toBe('agents');
});

test('a method may be public although its path is not', () => {
  const isPublicAt = (path: string, method: string) => isPublic(routeOf(path), method);
  expect(['POST', 'GET', 'DELETE', 'HEAD', 'post'].map((method) => isPublicAt('/session', method))).toEqual([
    ...[true, false, false, false, false],
  ]);
  expect([isPublicAt('/sessions', 'POST'), isPublicAt('/token', 'DELETE'), isPublicAt('/agents', 'GET')]).toEqual([
    ...[false, true, false],
  ]);
  expect(['/session/', '/session/x'].map((path) => isPublicAt(path, 'POST'))).toEqual([false, false]);
});

test('attempts to sign in, and to guess a reset code, are known by their methods', () => {
  const known = ['/token', '/session', '/password-resets/a', '/sessions', '/revoke', '/users/7/password-resets'];
  expect(known.map((path) => routeOf(path).signInMethod)).toEqual([
    ...['POST', 'POST', 'PUT', undefined, undefined, undefined],
  ]);
  expect(['/session/x', '/token/x'].map((path) => routeOf(path).signInMethod)).toEqual([undefined, undefined]);
});

test.each([
  ['POST', '/leases', {}, true],
  ['POST', '/agents/7/leases?a=b', {}, true],
  ['POST', '/leases/7/log-entries', {}, false],
  ['POST', '/agents', {}, false],
  ['GET', '/agents/7/tasks/8?wait=30', {}, true],
  ['HEAD', '/agents/7/tasks/8?a&wait=1', {}, true],
  ['GET', '/agents/7/tasks/8?wait=0', {}, false],
  ['GET', '/agents/7/tasks/8', {}, false],
  ['GET', '/events', { accept: 'text/event-stream' }, true],
  ['GET', '/agents/7/events', { accept: 'a/b, text/event-stream;q=1' }, true],
  ['GET', '/events', {}, false],
  ['GET', '/tasks?wait=1', { accept: 'text/event-stream' }, false],
  ['PUT', '/leases/7/result', { accept: 'text/event-stream' }, false],
])('%s %s with %j waits: %p', (method, url, headers, expected) => {
  const path = url.split('?')[0] as string;
  expect(isWaiting(routeOf(path), { method, url, headers } as IncomingMessage)).toBe(expected);
});

test.each(UPSTREAM_NAMES)('%s has a path prefix', (name) => {
  expect(SERVICE_PATHS.map(({ upstream }) => upstream)).toContain(name);
});
