import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { userChangeChannel } from '../src/auth/users/users.ts';
import { forwardTo } from './support/forwarder.ts';
import {
  API_KEY,
  EMAIL,
  type Fleet,
  getToken,
  INTERNAL_TOKEN,
  nowhere,
  SECRET,
  signIn,
  startFleet,
  startGateway,
} from './support/gateway.ts';
import { rawGet } from './support/raw-request.ts';

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

async function expectInvalidKey(answer: Response): Promise<void> {
  expect(answer.status).toBe(403);
  expect(await answer.json()).toEqual({ detail: 'Invalid API key' });
}

test('a token and a key each open the services, which learn who calls', async () => {
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
  expect(await principalOf({ 'x-api-key': API_KEY, 'x-fleet-principal': 'user:root' })).toBe('key:ci');
});

test.each(['Bearer', 'bearer', 'BEARER'])('the scheme %s is taken', async (scheme) => {
  expect((await get('/protected', { authorization: `${scheme} ${token}` })).status).toBe(200);
});

test('/protected names the user of the token', async () => {
  const answer = await get('/protected', bearer());
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ user: EMAIL });
});

describe('401', () => {
  test.each(['/agents', '/agents/7', '/protected'])('for %s without credentials, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      await expectUnauthenticated(await fetch(fleet.url + path, { method, ...(method === 'POST' && { body: '{' }) }));
    }
    const head = await fetch(fleet.url + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([401, '']);
  });

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic YTpi',
    'Bearerx',
    '',
    'Bearer a b',
    `Bearer ${'x'.repeat(20_000)}`,
  ])('for the header %j, even beside a good key', async (authorization) => {
    await expectUnauthenticated(await get('/agents', { authorization, 'x-api-key': API_KEY }));
  });

  test('for a good key alone on /protected', async () => {
    await expectUnauthenticated(await get('/protected', { 'x-api-key': API_KEY }));
  });

  test('for a token in the query', async () => {
    await expectUnauthenticated(await get(`/agents?access_token=${token}&token=${token}`));
  });

  test('for a bad token beside a bad key', async () => {
    await expectUnauthenticated(await get('/agents', { ...bearer('x'), 'x-api-key': 'wrong' }));
  });

  test('for two Authorization headers, though both are good', async () => {
    const line = `Authorization: Bearer ${token}`;
    expect((await rawGet(fleet.url, '/protected', line)).status).toBe(200);
    expect((await rawGet(fleet.url, '/protected', line, line)).status).toBe(401);
    expect((await rawGet(fleet.url, '/protected', line, 'authorization: Bearer x')).status).toBe(401);
  });

  test('for a token that is signed well for nobody', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: 'agent-fleet', aud: 'agent-fleet', iat: now, exp: now + 60 };
    expect((await get('/protected', bearer(jwt.sign({ ...claims, sub: EMAIL }, SECRET)))).status).toBe(200);
    for (const change of [
      { sub: 'nobody@example.com' },
      {},
      { sub: EMAIL, exp: now - 31 },
      { sub: EMAIL, nbf: now + 60 },
    ]) {
      await expectUnauthenticated(await get('/agents', bearer(jwt.sign({ ...claims, ...change }, SECRET))));
    }
  });
});

describe('403', () => {
  test.each(['wrong', '', API_KEY.toUpperCase(), `${API_KEY} x`, `ci:${API_KEY}`])('for the key %j', async (key) => {
    await expectInvalidKey(await get('/agents', { 'x-api-key': key }));
    await expectInvalidKey(await get('/agents', { ...bearer(), 'x-api-key': key }));
    await expectInvalidKey(await get('/protected', { ...bearer(), 'x-api-key': key }));
  });

  test('for two X-API-Key headers, though both are good', async () => {
    const line = `X-API-Key: ${API_KEY}`;
    expect((await rawGet(fleet.url, '/agents', line)).status).toBe(200);
    expect((await rawGet(fleet.url, '/agents', line, line)).status).toBe(403);
    expect((await rawGet(fleet.url, '/agents', line, 'x-api-key:')).status).toBe(403);
  });
});

test.each([
  ...['/health', '/ready', '/docs', '/redoc', '/openapi.json', '/.well-known/jwks.json'],
  ...['/api/skills', '/registry.json'],
])('%s is public and looks at no credentials', async (path) => {
  expect((await get(path)).status).toBe(200);
  expect((await get(path, { ...bearer('x'), 'x-api-key': 'wrong' })).status).toBe(200);
});

test('a public path tells the service no principal, even with good credentials', async () => {
  const answer = await get('/api/skills', bearer());
  expect(((await answer.json()) as { headers: object }).headers).not.toHaveProperty('x-fleet-principal');
});

test('the tokens of a user who is removed end at once where that is told, and none is kept past 30 s', async () => {
  const { redis, gateway } = fleet;
  const key = `${gateway.prefix}:user:${EMAIL}`;
  const record = (await redis.get(key)) as string;
  await get('/protected', bearer());
  await redis.del(key);
  // Kept: only the message, or 30 s, make the gateway ask again.
  expect((await get('/protected', bearer())).status).toBe(200);
  await redis.publish(userChangeChannel(gateway.prefix), EMAIL);
  while ((await get('/protected', bearer())).status === 200) await new Promise((resolve) => setTimeout(resolve, 5));
  await expectUnauthenticated(await get('/protected', bearer()));
  await redis.set(key, record);
  expect((await get('/protected', bearer())).status).toBe(200);
});

test('a user who is removed while a replica is cut off from Redis is forgotten when it is back', async () => {
  const through = new URL(process.env.TEST_REDIS_URL as string);
  through.port = new URL(await nowhere()).port;
  const connection = () => forwardTo(process.env.TEST_REDIS_URL as string, Number(through.port));
  const services = await nowhere();
  const first = await connection();
  const gateway = await startGateway({ REDIS_URL: through.href, AGENTS_URL: services, REGISTRY_URL: services });
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

test('503 while Redis is away and a user has to be looked up, with keys going on', async () => {
  const agents = await nowhere();
  const gateway = await startGateway({ REDIS_URL: await nowhere('redis'), AGENTS_URL: agents, REGISTRY_URL: agents });
  const answer = await fetch(`${gateway.url}/protected`, { headers: bearer() });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBeTruthy();
  expect(await answer.json()).toMatchObject({ error: 'unavailable' });
  expect((await fetch(`${gateway.url}/protected`, { headers: bearer('x') })).status).toBe(401);
  expect((await fetch(`${gateway.url}/protected`, { headers: { 'x-api-key': 'x' } })).status).toBe(403);
  await gateway.close();
});
