import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, expect, test } from '@jest/globals';
import { userChangeChannel } from '../../src/auth/users/users.ts';
import { forwardTo } from '../support/forwarder.ts';
import {
  connectTestRedis,
  EMAIL,
  type GatewayWithServices,
  getToken,
  INTERNAL_TOKEN,
  nowhere,
  signIn,
  startGateway,
  startWithServices,
  type TestGateway,
  WITH_KEY,
} from '../support/gateway.ts';

let gateway: GatewayWithServices;
let token: string;
beforeAll(async () => {
  gateway = await startWithServices();
  token = await getToken(gateway);
});

const get = (path: string, headers: Record<string, string> = {}, { url }: TestGateway = gateway) =>
  fetch(url + path, { headers });
const bearer = (value = token) => ({ authorization: `Bearer ${value}` });

test('services receive the principal of the token or the API key', async () => {
  const principalOf = async (headers: Record<string, string>) => {
    expect((await get('/agents', headers)).status).toBe(200);
    const seen = gateway.reached().at(-1)?.headers;
    expect(seen?.['x-fleet-internal-token']).toBe(INTERNAL_TOKEN);
    return seen?.['x-fleet-principal'];
  };
  expect(await principalOf(bearer())).toBe(`user:${EMAIL}`);
  expect(await principalOf(WITH_KEY)).toBe('key:ci');
  expect(await principalOf({ ...bearer(), ...WITH_KEY })).toBe(`user:${EMAIL}`);
  expect(await gateway.metrics()).toContain('gateway_credential_cache_total{result="hit"} 1\n');
});

test.each([
  ...['/health', '/ready', '/docs', '/redoc', '/openapi.json', '/.well-known/jwks.json'],
  ...['/api/skills', '/registry.json'],
])('%s is public and ignores credentials', async (path) => {
  expect((await get(path)).status).toBe(200);
  expect((await get(path, { ...bearer('x'), 'x-api-key': 'wrong' })).status).toBe(200);
});

test('the service of a public path receives no principal, even with good credentials', async () => {
  await get('/api/skills', bearer());
  expect(gateway.reached().at(-1)?.headers).not.toHaveProperty('x-fleet-principal');
});

test('tokens of a removed user are refused when the change is published', async () => {
  const redis = connectTestRedis();
  const key = `${gateway.prefix}:user:${EMAIL}`;
  const record = (await redis.get(key)) as string;
  await get('/protected', bearer());
  await redis.del(key);
  // The user is cached: only the message, or 30 s, make the gateway read the user again.
  expect((await get('/protected', bearer())).status).toBe(200);
  await redis.publish(userChangeChannel(gateway.prefix), EMAIL);
  const response = await until(() => get('/protected', bearer()), { holds: ({ status }) => status !== 200 });
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(await response.json()).toEqual({ detail: 'Could not validate credentials' });
  await redis.set(key, record);
  expect((await get('/protected', bearer())).status).toBe(200);
});

test('a replica that reconnects to Redis forgets users that were removed meanwhile', async () => {
  const through = new URL(process.env.TEST_REDIS_URL as string);
  through.port = new URL(await nowhere()).port;
  const connection = () => forwardTo(process.env.TEST_REDIS_URL as string, Number(through.port));
  const first = await connection();
  const replica = await startGateway({ REDIS_URL: through.href });
  await until(async () => (await signIn(replica)).status === 200);
  const headers = bearer(await getToken(replica));
  const statusOf = async () => (await get('/protected', headers, replica)).status;
  expect(await statusOf()).toBe(200);
  await first.close();
  await connectTestRedis().del(`${replica.prefix}:user:${EMAIL}`);
  expect(await statusOf()).toBe(200);
  await connection();
  await until(async () => (await statusOf()) === 401);
  await replica.close();
});

test('responds 503 to bearer tokens while Redis is unavailable, and still checks other credentials', async () => {
  const alone = await startGateway({ REDIS_URL: await nowhere('redis') });
  const response = await get('/protected', bearer(), alone);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBeTruthy();
  expect(await response.json()).toMatchObject({ error: 'unavailable' });
  expect((await get('/protected', bearer('x'), alone)).status).toBe(401);
  expect((await get('/protected', { 'x-api-key': 'x' }, alone)).status).toBe(403);
});
