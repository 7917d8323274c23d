import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { SCOPE_NAMES, type Scope } from '@agent-fleet/shared/identity/scopes';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { allServices, type GatewayWithServices, nowhere, startGateway, startWithServices } from '../support/gateway.ts';
import { startUpstream } from '../support/proxy.ts';
import { send, withToken } from '../support/requests.ts';
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
let admin: UserRecord;
let viewer: UserRecord;
beforeAll(async () => {
  gateway = await startWithServices();
  admin = await gateway.identity.admin();
  viewer = await gateway.identity.addUser({ role: 'viewer' });
});

test('the gateway itself refuses an operation without its scope, and names it', async () => {
  const required = (scope: Scope) => ({
    error: 'forbidden',
    message: `This needs the scope ${scope}`,
    details: { required: scope },
  });
  for (const [method, path, scope] of OPERATIONS) {
    const token = gateway.identity.issue(admin, { scopes: SCOPE_NAMES.filter((name) => name !== scope) });
    const before = gateway.reached().length;
    const { status, body } = await send(gateway, path, { method, headers: withToken(token) });
    const isRefused = scope !== null;
    expect([method, path, status, gateway.reached().length - before]).toEqual(
      isRefused ? [method, path, 403, 0] : [method, path, 200, 1],
    );
    if (isRefused && method !== 'HEAD') expect(body).toEqual(required(scope));
  }
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
    const headers = withToken(gateway.identity.issue(viewer));
    const body = 'x'.repeat(2 * 1024 * 1024);
    expect((await send(gateway, '/agents', { method: 'POST', headers, body })).status).toBe(403);
  });
});

test('the log names the stage that refuses for want of a scope', async () => {
  const headers = withToken(gateway.identity.issue(viewer));
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
