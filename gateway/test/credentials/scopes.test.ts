import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { send, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let viewer: UserRecord;
beforeAll(async () => {
  gateway = await startWithServices();
  viewer = await gateway.identity.addUser({ role: 'viewer' });
});

test('the service gets the scopes of the principal, and refuses an operation without its scope', async () => {
  const headers = withToken(gateway.identity.issue(viewer));
  const { status, body, headers: answered } = await send(gateway, '/users', { headers });
  expect([status, body]).toEqual([
    403,
    { error: 'forbidden', message: 'This needs the scope users:admin', details: { required: 'users:admin' } },
  ]);
  expect(gateway.reached().at(-1)?.headers['x-fleet-scopes']).toBe('agents:read tasks:read events:read');
  const id = answered.get('x-request-id');
  const line = await until(() => gateway.logs.find(({ request_id, msg }) => msg === 'request' && request_id === id));
  expect(line).toMatchObject({ status: 403, error: 'forbidden', rejected_by: 'scope', route: '/users' });
});

test('refusals come in the order of credentials, rate limit, path, method and scope', async () => {
  const limited = await startWithServices({ RATE_LIMIT_PER_MINUTE: '4', AUTH_LIMIT_PER_MINUTE: '100' });
  const headers = withToken(limited.identity.issue(await limited.identity.addUser({ role: 'viewer' })));
  const request = async (method: string, path: string, given = headers) =>
    (await send(limited, path, { method, headers: given })).status;
  expect(await request('PATCH', '/agents/7/nothing', withToken('bad'))).toBe(401);
  expect(await request('PATCH', '/agents/7/nothing')).toBe(404);
  expect(await request('PATCH', '/users')).toBe(405);
  expect(await request('GET', '/users')).toBe(403);
  expect(await request('GET', '/agents')).toBe(200);
  expect(await request('PATCH', '/agents/7/nothing')).toBe(429);
  expect(await request('PATCH', '/agents/7/nothing', withToken('bad'))).toBe(401);
  // A path of no service.
  expect(await request('GET', '/nothing', withToken('bad'))).toBe(404);
});
