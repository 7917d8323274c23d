import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createUsers } from '../../src/auth/users/users.ts';
import { cpuTimeOf } from '../support/cpu-time.ts';
import { forwardTo } from '../support/forwarder.ts';
import { EMAIL, type Fleet, nowhere, PASSWORD, SECRET, signIn, startFleet, startGateway } from '../support/gateway.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ ACCESS_TOKEN_TTL_SECONDS: '90', JWT_ISSUER: 'the-issuer', JWT_AUDIENCE: 'the-audience' });
});
afterAll(() => fleet.close());

const readyOf = async (url: string) => (await (await fetch(`${url}/ready`)).json()) as { checks: { redis: string } };
const untilRedisIsUsed = (url: string) => until(async () => (await readyOf(url)).checks.redis === 'ok');

test('a sign-in issues a JWT with the configured issuer, audience and lifetime', async () => {
  const { access_token: token } = (await (await signIn(fleet.url)).json()) as { access_token: string };
  const { header, payload } = jwt.verify(token, SECRET, { complete: true, algorithms: ['HS256'] });
  expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) });
  const { iat } = payload as { iat: number };
  expect(payload).toEqual({ sub: EMAIL, iss: 'the-issuer', aud: 'the-audience', iat, exp: iat + 90 });
});

test.each(['ADMIN@Example.COM', ` ${EMAIL} `])('accepts the e-mail address written as %j', async (username) => {
  expect((await signIn(fleet.url, username)).status).toBe(200);
});

test('an unknown user takes as much processor time as a wrong password', async () => {
  const workFor = (username: string) =>
    cpuTimeOf(async () => expect((await signIn(fleet.url, username, 'wrong')).status).toBe(401));
  let [unknown, known] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The least of many: what else this process does now and then is in some of them.
  for (let round = 0; round < 15; round++) {
    unknown = Math.min(unknown, await workFor('nobody@example.com'));
    known = Math.min(known, await workFor(EMAIL));
  }
  expect(unknown / known).toBeGreaterThan(0.5);
  expect(unknown / known).toBeLessThan(2);
});

test('refuses another grant type, or one sent twice', async () => {
  for (const grants of [['client_credentials'], ['password', 'password']]) {
    const fields = [['username', EMAIL], ['password', PASSWORD], ...grants.map((grant) => ['grant_type', grant])];
    const answer = await fetch(`${fleet.url}/token`, { method: 'POST', body: new URLSearchParams(fields) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ details: { fields: [{ path: 'grant_type' }] } });
  }
});

describe('the first user', () => {
  test('is left unchanged when it exists', async () => {
    const services = await nowhere();
    const env = { REDIS_PREFIX: fleet.gateway.prefix, AGENTS_URL: services, REGISTRY_URL: services };
    const other = await startGateway({ ...env, ADMIN_PASSWORD: 'another password' });
    await untilRedisIsUsed(other.url);
    expect((await signIn(other.url, EMAIL, 'another password')).status).toBe(401);
    expect((await signIn(other.url)).status).toBe(200);
    await other.close();
  });

  test('is never overwritten by one who is added later', async () => {
    const users = createUsers(fleet.redis, fleet.gateway.prefix);
    const before = await users.find(EMAIL);
    expect(await users.add({ email: EMAIL, password_hash: 'other', created_at: '' })).toBe(false);
    expect(await users.find(EMAIL)).toEqual(before);
  });

  test('is added once by several replicas that start at the same time', async () => {
    const services = await nowhere();
    const env = { REDIS_PREFIX: `${fleet.gateway.prefix}-x`, AGENTS_URL: services, REGISTRY_URL: services };
    const passwords = ['password-one', 'password-two', 'password-three'];
    const replicas = await Promise.all(passwords.map((ADMIN_PASSWORD) => startGateway({ ...env, ADMIN_PASSWORD })));
    await Promise.all(replicas.map(({ url }) => untilRedisIsUsed(url)));
    const url = replicas[0]?.url as string;
    const statuses = await Promise.all(passwords.map(async (password) => (await signIn(url, EMAIL, password)).status));
    expect(statuses.sort()).toEqual([200, 401, 401]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  test('is added when Redis becomes available, and the gateway serves meanwhile', async () => {
    const services = await nowhere();
    const redis = new URL(process.env.TEST_REDIS_URL as string);
    redis.port = new URL(await nowhere()).port;
    const gateway = await startGateway({ REDIS_URL: redis.href, AGENTS_URL: services, REGISTRY_URL: services });
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    const early = await signIn(gateway.url);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
    const forwarder = await forwardTo(process.env.TEST_REDIS_URL as string, Number(redis.port));
    await until(async () => (await signIn(gateway.url)).status === 200);
    await gateway.close();
    await forwarder.close();
  });
});
