import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { ROLE_NAMES, ROLES, type Role, type Scope } from '@agent-fleet/shared/identity/scopes';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { allServices, type GatewayWithServices, nowhere, startGateway, startWithServices } from '../support/gateway.ts';
import { addUsers } from '../support/identity.ts';
import { startUpstream } from '../support/proxy.ts';
import { send, withApiKey, withToken } from '../support/requests.ts';
import { DOCUMENT } from '../support/service.ts';

interface Documented {
  'x-required-scope'?: Scope | null;
}
const { paths } = JSON.parse(DOCUMENT) as { paths: Record<string, Record<string, Documented>> };

/** Every operation of the services that needs credentials, and HEAD for each GET. */
const OPERATIONS = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, operation]) => Object.hasOwn(operation, 'x-required-scope'))
    .filter(([method]) => !(path === '/session' && method === 'post') && !path.startsWith('/password-resets'))
    .flatMap(([method, { 'x-required-scope': scope }]) =>
      (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).map(
        (verb) => [verb, path.replaceAll(/\{\w+\}/g, '7'), scope ?? null] as const,
      ),
    ),
);

let gateway: GatewayWithServices;
let users: Record<Role, UserRecord>;
beforeAll(async () => {
  gateway = await startWithServices({ API_KEYS: ROLE_NAMES.map((role) => `${role}:${role}:${keyOf(role)}`).join() });
  users = await addUsers(gateway.identity, ROLE_NAMES);
});

const keyOf = (role: Role) => `environment-key-${role}-0123456789`;
const has = (role: Role, scope: Scope | null) => scope === null || (ROLES[role] as readonly Scope[]).includes(scope);

test('the document has enough operations to tell the roles apart', () => {
  expect(new Set(OPERATIONS.map(([, , scope]) => scope)).size).toBeGreaterThan(6);
});

describe.each(ROLE_NAMES)('the role %s', (role) => {
  const credentials = async () => {
    const { cookie } = await gateway.identity.addSession(users[role]);
    const { text } = await gateway.identity.addApiKey({ scopes: [...ROLES[role]] });
    return {
      token: withToken(gateway.identity.issue(users[role])),
      'token of version 1.0': withToken(gateway.identity.issueOld(users[role])),
      'environment key': withApiKey(keyOf(role)),
      'API key': withApiKey(text),
      cookie: { cookie: `fleet=${cookie}`, 'sec-fetch-site': 'same-origin' },
    };
  };

  test.each(OPERATIONS)('%s %s needs %s', async (method, path, scope) => {
    const required = { error: 'forbidden', message: `This needs the scope ${scope}`, details: { required: scope } };
    for (const [kind, headers] of Object.entries(await credentials())) {
      const before = gateway.reached().length;
      const { status, body } = await send(gateway, path, { method, headers });
      const expected = has(role, scope) ? [kind, 200, 1] : [kind, 403, 0];
      expect([kind, status, gateway.reached().length - before]).toEqual(expected);
      if (status === 403 && method !== 'HEAD') expect(body).toEqual(required);
    }
  });
});

describe('the order of refusals:', () => {
  test('401 before 405 before 403 before 429', async () => {
    const limited = await startWithServices({ RATE_LIMIT_PER_MINUTE: '1', AUTH_LIMIT_PER_MINUTE: '100' });
    const viewer = await limited.identity.addUser({ role: 'viewer' });
    const headers = withToken(limited.identity.issue(viewer));
    const request = async (method: string, path: string, given: Record<string, string>) =>
      (await send(limited, path, { method, headers: given })).status;
    expect(await request('PATCH', '/agents', withToken('bad'))).toBe(401);
    // Refusals for want of a method or a scope cost nothing of the limit of the principal.
    for (let times = 0; times < 3; times++) {
      expect(await request('PATCH', '/agents', headers)).toBe(405);
      expect(await request('PATCH', '/users', headers)).toBe(405);
      expect(await request('POST', '/agents', headers)).toBe(403);
    }
    expect(await request('GET', '/agents', headers)).toBe(200);
    expect(await request('GET', '/agents', headers)).toBe(429);
    expect(await request('POST', '/agents', headers)).toBe(403);
    expect(await request('PATCH', '/agents', headers)).toBe(405);
    expect(await request('PATCH', '/agents', withToken('bad'))).toBe(401);
  });

  test('403 before a body that is too large', async () => {
    const headers = withToken(gateway.identity.issue(users.viewer));
    const body = 'x'.repeat(2 * 1024 * 1024);
    expect((await send(gateway, '/agents', { method: 'POST', headers, body })).status).toBe(403);
  });
});

test('the log names the stage that refuses for want of a scope', async () => {
  const headers = withToken(gateway.identity.issue(users.viewer));
  const { headers: answered } = await send(gateway, '/users', { headers });
  const id = answered.get('x-request-id');
  const line = await until(() => gateway.logs.find(({ request_id, msg }) => msg === 'request' && request_id === id));
  expect(line).toMatchObject({ status: 403, error: 'forbidden', rejected_by: 'scope', route: '/users' });
});

test('until the document of a service is known, the service decides, by the scopes that it gets', async () => {
  const service = await startUpstream((req, res) => {
    if (req.url === '/openapi.json') res.writeHead(404).end();
    else res.end('{}');
  });
  const early = await startGateway({ ...allServices(service.url), AGENTS_URL: await nowhere() });
  const viewer = await early.identity.addUser({ role: 'viewer' });
  const headers = withToken(early.identity.issue(viewer));
  await until(async () => (await send(early, '/users', { headers })).status === 200);
  expect(service.received.at(-1)?.headers['x-fleet-scopes']).toBe('agents:read tasks:read events:read');
  expect((await send(early, '/users')).status).toBe(401);
});

test('the session of a browser is public only for POST, and by the name of the method as it is', async () => {
  const init = (method: string) => ({ method, body: new URLSearchParams('a=b') });
  expect((await send(gateway, '/session', init('POST'))).status).toBe(200);
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    expect((await send(gateway, '/session', init(method))).status).toBe(401);
  }
});
