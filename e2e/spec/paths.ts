import { describe, expect, test } from '@jest/globals';
import { CONTRACT_CASES } from '../contract/contract-cases.ts';
import type { Api } from '../harness/api.ts';
import { expectError, expectNoBody, expectUnauthenticated } from './expectations.ts';

/** Of every operation that has cases, with `x` for each parameter. */
function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const operation of Object.keys(CONTRACT_CASES)) {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replace(/\{\w+\}/g, 'x');
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}

/** docs/contract.md "Requests": paths, methods, request ids, and the order of checks. */
export function specifyPaths(api: Api): void {
  const anonymous = (method: string, path: string, headers = {}) => api.call(method, path, { as: 'nobody', headers });

  test.each([
    ...['/agents/..', '/./agents', '/agents/../api/skills?status=idle', '/registry.json/..'],
    ...['/agents/%2e%2e', '/agents/%2E%2e/x', '/agents/.%2e', '/%2e/agents', '/agents/a%2Fb', '/agents%2fx'],
    ...[
      '/api%5Cskills',
      '/agents/a%5cb',
      '/agents\\x',
      '/agents/%00',
      '/agents/a%0ab',
      '/agents/%1f',
      '/api/skills/%7F',
    ],
  ])('a path with two meanings is 400 before authentication: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectError(await anonymous(method, path), 400, 'validation_error');
      expectError(await api.call(method, path), 400, 'validation_error');
    }
  });

  test('the same characters are allowed in a query', async () => {
    expectUnauthenticated(await anonymous('GET', '/agents?status=%00../%2F%5C'));
    expect((await api.get('/agents?x=/../\\%2e%00')).status).toBe(200);
    expect((await api.get('/agents?')).status).toBe(200);
  });

  test.each([
    ...[
      '/nowhere',
      '/api',
      '/api/nope',
      '/agentsx',
      '/AGENTS/x',
      '/v1/agents',
      '/%61gents',
      '/agents;x',
      '/registry.jso',
    ],
    ...[
      '/token/',
      '/docs/',
      '/health/',
      '/docs/nope',
      '/registry.json/',
      '/api/skills/',
      '/api/skills/a/b',
      '/registry',
    ],
  ])('an unknown path below no path that needs credentials is 404 not_found: %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) expectError(await anonymous(method, path), 404, 'not_found');
    expectError(await api.get(path), 404, 'not_found');
    expectError(await anonymous('GET', path, { 'x-api-key': 'wrong' }), 404, 'not_found');
  });

  test.each([
    ...['/agents/', '/agents/x/', '/tasks/', '/agents/x/nope', '/agents/x/leases/y', '/sessions/x/y'],
    ...['/agents/x/tasks/y/attempts/1', '/tasks/x', '/leases/x/nope', '/events/x', '/session/x'],
  ])(
    'an unknown path below one that needs credentials is 401 without them, 404 not_found with them: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        expectUnauthenticated(await anonymous(method, path));
        expectError(await api.call(method, path), 404, 'not_found');
      }
    },
  );

  describe('another method of an existing path is 405 with Allow:', () => {
    test.each([...methodsByPath()])('%s', async (path, methods) => {
      const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
      const known = ['PATCH', 'GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'];
      const others = known.filter((method) => !methods.includes(method));
      for (const method of others) {
        const response = await api.call(method, path, { as: 'token', headers: { 'content-type': 'text/plain' } });
        expectError(response, 405, 'method_not_allowed');
        expect(String(response.headers.allow).split(', ').sort()).toEqual(expected);
      }
      const options = await api.call('OPTIONS', path, { as: 'token' });
      expectNoBody(options, 204);
      expect(String(options.headers.allow).split(', ').sort()).toEqual(expected);
    });
  });

  test('authentication is checked before 405, 404 and the body', async () => {
    const bad = { headers: { 'content-type': 'text/plain' }, body: '{' };
    expectUnauthenticated(await anonymous('GET', '/agents?limit=0'));
    expect((await anonymous('HEAD', '/agents/x')).status).toBe(401);
    expectUnauthenticated(await api.call('PATCH', '/agents/x', { as: 'nobody', ...bad }));
    expectUnauthenticated(await api.call('PUT', '/agents/x', { as: 'nobody', ...bad }));
    for (const path of ['/tasks', '/leases', '/leases/x/result', '/events', '/agents/x/leases', '/agents/x/events']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        expectUnauthenticated(await api.call(method, path, { as: 'nobody', ...bad }));
      }
    }
    expectError(await api.call('PATCH', '/agents/x', bad), 405, 'method_not_allowed');
  });

  test.each([
    ['/agents/missing/tasks', '?limit=0'],
    ['/agents/missing/events', '?after=x'],
    ['/agents/missing/pause', '?optional=x'],
    ['/agents/missing/tasks/missing', '?wait=31'],
    ['/sessions?user_id=missing', '&skip=-1'],
  ])('a bad query is 400 before a missing record is 404: %s%s', async (path, bad) => {
    expect((await api.call('GET', path, { as: 'token' })).status).toBe(404);
    expectError(await api.call('GET', path + bad, { as: 'token' }), 400, 'validation_error');
  });

  test('a valid request id is kept, and an invalid one is replaced', async () => {
    const idOf = async (path: string, id?: string) =>
      (await anonymous('GET', path, id === undefined ? {} : { 'x-request-id': id })).headers['x-request-id'];
    for (const path of ['/health', '/agents', '/nope', '/api/categories', '/agents/..']) {
      expect(await idOf(path, 'trace-me:42/!')).toBe('trace-me:42/!');
      const made = await Promise.all(
        [undefined, undefined, 'has a blank', 'x'.repeat(129)].map((id) => idOf(path, id)),
      );
      expect(new Set(made).size).toBe(4);
      for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('no response reveals the server software', async () => {
    for (const path of ['/agents', '/health', '/nope', '/api/skills?limit=1']) {
      const { headers } = await api.get(path);
      expect([headers['x-powered-by'], headers.server]).toEqual([undefined, undefined]);
      expect(Object.keys(headers).filter((name) => name.startsWith('x-fleet'))).toEqual([]);
    }
  });
}
