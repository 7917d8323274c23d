import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { userChangeChannel } from '../../src/auth/users/users.ts';
import { forwardTo } from '../support/forwarder.ts';
import {
  API_KEY,
  EMAIL,
  type Fleet,
  getToken,
  INTERNAL_TOKEN,
  nowhere,
  signIn,
  startFleet,
  startGateway,
} from '../support/gateway.ts';

let fleet: Fleet;
let token: string;
beforeAll(async () => {
  fleet = await startFleet();
  token = await getToken(fleet.url);
});
afterAll(() => fleet.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${fleet.url}${path}`, { headers });
const bearer = (value = token) => ({ authorization: `Bearer ${value}` });

async function expectUnauthenticated(answer: Response): Promise<void> {
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(await answer.json()).toEqual({ detail: 'Could not validate credentials' });
}

test('services receive the principal of the token or the API key', async () => {
  const principalOf = async (headers: Record<string, string>) => {
    const answer = await get('/agents', headers);
    expect(answer.status).toBe(200);
    const { headers: seen } = (await answer.json()) as { headers: Record<string, string> };
    expect(seen['x-fleet-internal-token']).toBe(INTERNAL_TOKEN);
    return seen['x-fleet-principal'];
  };
  expect(await principalOf(bearer())).toBe(`user:${EMAIL}`);
  expect(await principalOf({ 'x-api-key': API_KEY })).toBe('key:ci');
  expect(await principalOf({ ...bearer(), 'x-api-key': API_KEY })).toBe(`user:${EMAIL}`);
});

test('a bad credential is refused even beside a good one', async () => {
  await expectUnauthenticated(await get('/agents', { ...bearer('x'), 'x-api-key': API_KEY }));
  await expectUnauthenticated(await get('/protected', { 'x-api-key': API_KEY }));
  const wrongKey = await get('/agents', { ...bearer(), 'x-api-key': 'wrong' });
  expect([wrongKey.status, await wrongKey.json()]).toEqual([403, { detail: 'Invalid API key' }]);
});

test.each([
  ...['/health', '/ready', '/docs', '/redoc', '/openapi.json', '/.well-known/jwks.json'],
  ...['/api/skills', '/registry.json'],
])('%s is public and ignores credentials', async (path) => {
  expect((await get(path)).status).toBe(200);
  expect((await get(path, { ...bearer('x'), 'x-api-key': 'wrong' })).status).toBe(200);
});

test('the service of a public path receives no principal, even with good credentials', async () => {
  const answer = await get('/api/skills', bearer());
  expect(((await answer.json()) as { headers: object }).headers).not.toHaveProperty('x-fleet-principal');
});

test('tokens of a removed user end when the change is published', async () => {
  const { redis, gateway } = fleet;
  const key = `${gateway.prefix}:user:${EMAIL}`;
  const record = (await redis.get(key)) as string;
  await get('/protected', bearer());
  await redis.del(key);
  // Cached: only the message, or 30 s, make the gateway look the user up again.
  expect((await get('/protected', bearer())).status).toBe(200);
  await redis.publish(userChangeChannel(gateway.prefix), EMAIL);
  await until(async () => (await get('/protected', bearer())).status !== 200);
  await expectUnauthenticated(await get('/protected', bearer()));
  await redis.set(key, record);
  expect((await get('/protected', bearer())).status).toBe(200);
});

test('a replica that reconnects to Redis forgets users that were removed meanwhile', async () => {
  const through = new URL(process.env.TEST_REDIS_URL as string);
  through.port = new URL(await nowhere()).port;
  const connection = () => forwardTo(process.env.TEST_REDIS_URL as string, Number(through.port));
  const services = await nowhere();
  const first = await connection();
  const env = { REDIS_URL: through.href, AGENTS_URL: services, REGISTRY_URL: services };
  const gateway = await startGateway(env);
  await until(async () => (await signIn(gateway.url)).status === 200);
  const headers = bearer(await getToken(gateway.url));
  const statusOf = async () => (await fetch(`${gateway.url}/protected`, { headers })).status;
  expect(await statusOf()).toBe(200);
  await first.close();
  await fleet.redis.del(`${gateway.prefix}:user:${EMAIL}`);
  expect(await statusOf()).toBe(200);
  const second = await connection();
  await until(async () => (await statusOf()) === 401);
  await gateway.close();
  await second.close();
});

test('while Redis is unavailable tokens are 503 and API keys still work', async () => {
  const agents = await nowhere();
  const env = { REDIS_URL: await nowhere('redis'), AGENTS_URL: agents, REGISTRY_URL: agents };
  const gateway = await startGateway(env);
  const answer = await fetch(`${gateway.url}/protected`, { headers: bearer() });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBeTruthy();
  expect(await answer.json()).toMatchObject({ error: 'unavailable' });
  expect((await fetch(`${gateway.url}/protected`, { headers: bearer('x') })).status).toBe(401);
  expect((await fetch(`${gateway.url}/protected`, { headers: { 'x-api-key': 'x' } })).status).toBe(403);
  await gateway.close();
});
