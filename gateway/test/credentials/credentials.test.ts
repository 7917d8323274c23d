import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type GatewayWithServices,
  getToken,
  INTERNAL_TOKEN,
  nowhere,
  startGateway,
  startWithServices,
  type TestGateway,
  WITH_KEY,
} from '../support/gateway.ts';
import { EMAIL } from '../support/identity.ts';

let gateway: GatewayWithServices;
let token: string;
beforeAll(async () => {
  gateway = await startWithServices({ API_KEYS: `ci:${WITH_KEY['x-api-key']},reader:viewer:reader-key-0123456789` });
  token = await getToken(gateway);
});

const get = (path: string, headers: Record<string, string> = {}, { url }: TestGateway = gateway) =>
  fetch(url + path, { headers });
const bearer = (value = token) => ({ authorization: `Bearer ${value}` });
const ALL = 'agents:read agents:write tasks:read tasks:write tasks:answer leases:write events:read';
const ADMIN = `${ALL} budgets:admin registry:admin audit:read users:admin`;

/** The `X-Fleet-*` headers that the service received with the last request. */
function fleetHeaders(): Record<string, unknown> {
  const headers = Object.entries(gateway.reached().at(-1)?.headers ?? {});
  return Object.fromEntries(headers.filter(([name]) => name.startsWith('x-fleet-')));
}

describe('services receive', () => {
  const internal = { 'x-fleet-internal-token': INTERNAL_TOKEN };

  test('the user, the scopes and the session of a token', async () => {
    const user = await gateway.identity.admin();
    const sessionId = 'a session';
    const issued = gateway.identity.issue(user, { sessionId, scopes: ['tasks:read', 'agents:read', 'unknown'] });
    expect((await get('/agents', bearer(issued))).status).toBe(200);
    expect(fleetHeaders()).toEqual({
      ...internal,
      'x-fleet-principal': `user:${EMAIL}`,
      'x-fleet-scopes': 'agents:read tasks:read',
      'x-fleet-actor-id': user.id,
      'x-fleet-actor-name': EMAIL,
      'x-fleet-session': 'a%20session',
    });
  });

  test('the name, the id and the role of a key of the environment', async () => {
    expect((await get('/agents', { 'x-api-key': 'reader-key-0123456789' })).status).toBe(200);
    expect(fleetHeaders()).toEqual({
      ...internal,
      'x-fleet-principal': 'key:reader',
      'x-fleet-scopes': 'agents:read tasks:read events:read',
      'x-fleet-actor-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/),
      'x-fleet-actor-name': 'reader',
    });
    expect((await get('/agents', WITH_KEY)).status).toBe(200);
    expect(fleetHeaders()).toMatchObject({ 'x-fleet-principal': 'key:ci', 'x-fleet-scopes': ADMIN });
  });

  test('the id, the name, the scopes, the agents and the owner of an API key', async () => {
    const { identity } = gateway;
    const name = 'Müller’s "key", 100 %\n';
    const { text, record } = await identity.addApiKey({ name, scopes: ['agents:read'], agent_ids: ['one', 'two'] });
    expect((await get('/agents', { 'x-api-key': text })).status).toBe(200);
    expect(fleetHeaders()).toEqual({
      ...internal,
      'x-fleet-principal': `key:${record.id}`,
      'x-fleet-scopes': 'agents:read',
      'x-fleet-agents': 'one,two',
      'x-fleet-actor-id': record.id,
      'x-fleet-owner-id': 'corp:maker',
      'x-fleet-actor-name': 'M%C3%BCller%E2%80%99s%20"key",%20100%20%25%0A',
    });
  });

  test('the user and the session of a cookie, without the cookie', async () => {
    const user = await gateway.identity.addUser({ role: 'viewer' });
    const { cookie, session } = await gateway.identity.addSession(user);
    expect((await get('/agents', { cookie: `a=b; fleet=${cookie}` })).status).toBe(200);
    expect(fleetHeaders()).toEqual({
      ...internal,
      'x-fleet-principal': `user:${user.email}`,
      'x-fleet-scopes': 'agents:read tasks:read events:read',
      'x-fleet-actor-id': user.id,
      'x-fleet-actor-name': user.email,
      'x-fleet-session': session.id,
    });
    expect(gateway.reached().at(-1)?.headers).not.toHaveProperty('cookie');
  });

  test('the principal of the token, if there is a key as well', async () => {
    expect((await get('/agents', { ...bearer(), ...WITH_KEY })).status).toBe(200);
    expect(fleetHeaders()).toMatchObject({ 'x-fleet-principal': `user:${EMAIL}` });
  });

  test('no principal of a public operation, even with good credentials', async () => {
    for (const path of ['/api/skills', '/registry.json']) {
      expect((await get(path, { ...bearer(), ...WITH_KEY })).status).toBe(200);
      expect(fleetHeaders()).toEqual(internal);
    }
    for (const path of ['/token', '/session']) {
      const init = { method: 'POST', headers: { ...bearer(), ...WITH_KEY }, body: new URLSearchParams('a=b') };
      expect((await fetch(gateway.url + path, init)).status).toBe(200);
      expect(fleetHeaders()).toEqual(internal);
    }
  });
});

test.each([
  [-1_000, 401],
  [-0.001, 401],
  [0, 200],
  [0.001, 200],
])('a token from %d ms after its user signed out everywhere is answered with %i', async (offsetMs, status) => {
  const { identity } = gateway;
  const user = await identity.addUser();
  const at = Date.now() - 60_000;
  const statusAt = async (authTimeMs: number) =>
    (await get('/agents', bearer(identity.issue(user, { authTimeMs })))).status;
  expect(await statusAt(at + offsetMs)).toBe(200);
  await identity.changeUser(user, { tokens_valid_after: at });
  await until(async () => (await statusAt(0)) === 401);
  expect(await statusAt(at + offsetMs)).toBe(status);
});

test('responds 503 to tokens while Redis is unavailable, and still checks other credentials', async () => {
  const alone = await startGateway({ REDIS_URL: await nowhere('redis') });
  const { text } = await alone.identity.addApiKey();
  for (const headers of [bearer(), { 'x-api-key': text }, { cookie: `fleet=${'a'.repeat(43)}` }] as Record<
    string,
    string
  >[]) {
    const response = await get('/agents', headers, alone);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect(await response.json()).toMatchObject({ error: 'unavailable' });
  }
  expect((await get('/protected', bearer('x'), alone)).status).toBe(401);
  expect((await get('/protected', { 'x-api-key': 'x' }, alone)).status).toBe(403);
  expect((await get('/protected', { cookie: 'fleet=x' }, alone)).status).toBe(401);
});
