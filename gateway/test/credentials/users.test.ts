import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createUsers } from '../../src/auth/users/users.ts';
import { forwardTo } from '../support/forwarder.ts';
import {
  connectTestRedis,
  EMAIL,
  getToken,
  nowhere,
  PASSWORD,
  SECRET,
  signIn,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await start({ ACCESS_TOKEN_TTL_SECONDS: '90', JWT_ISSUER: 'the-issuer', JWT_AUDIENCE: 'the-audience' });
});

/** Starts a gateway and waits until it has connected to Redis. */
async function start(env: Record<string, string>): Promise<TestGateway> {
  const started = await startGateway(env);
  await until(async () => /"redis":"ok"/.test(await (await fetch(`${started.url}/ready`)).text()));
  return started;
}

test('a sign-in issues a JWT with the configured issuer, audience and lifetime', async () => {
  const token = await getToken(gateway);
  const { header, payload } = jwt.verify(token, SECRET, { complete: true, algorithms: ['HS256'] });
  expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) });
  const { iat } = payload as { iat: number };
  expect(payload).toEqual({ sub: EMAIL, iss: 'the-issuer', aud: 'the-audience', iat, exp: iat + 90 });
});

test.each(['ADMIN@Example.COM', ` ${EMAIL} `])('accepts the e-mail address written as %j', async (username) => {
  expect((await signIn(gateway, username)).status).toBe(200);
});

test('refuses another grant type, or one sent twice', async () => {
  for (const grants of [['client_credentials'], ['password', 'password']]) {
    const fields = [['username', EMAIL], ['password', PASSWORD], ...grants.map((grant) => ['grant_type', grant])];
    const response = await fetch(`${gateway.url}/token`, { method: 'POST', body: new URLSearchParams(fields) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: { fields: [{ path: 'grant_type' }] } });
  }
});

describe('the first user', () => {
  test('is left unchanged when it exists', async () => {
    const other = await start({ REDIS_PREFIX: gateway.prefix, ADMIN_PASSWORD: 'another password' });
    expect((await signIn(other, EMAIL, 'another password')).status).toBe(401);
    expect((await signIn(gateway)).status).toBe(200);
    const users = createUsers(connectTestRedis(), gateway.prefix);
    const before = await users.find(EMAIL);
    expect(await users.add({ email: EMAIL, password_hash: 'other', created_at: '' })).toBe(false);
    expect(await users.find(EMAIL)).toEqual(before);
  });

  test('is added once by several replicas that start at the same time', async () => {
    const REDIS_PREFIX = `${gateway.prefix}-x`;
    const passwords = ['password-one', 'password-two', 'password-three'];
    const [replica] = await Promise.all(passwords.map((ADMIN_PASSWORD) => start({ REDIS_PREFIX, ADMIN_PASSWORD })));
    const responses = await Promise.all(passwords.map((one) => signIn(replica as TestGateway, EMAIL, one)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  test('is added when Redis becomes available, and the gateway serves meanwhile', async () => {
    const redis = new URL(process.env.TEST_REDIS_URL as string);
    redis.port = new URL(await nowhere()).port;
    const early = await startGateway({ REDIS_URL: redis.href });
    expect((await fetch(`${early.url}/health`)).status).toBe(200);
    const refused = await signIn(early);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await forwardTo(process.env.TEST_REDIS_URL as string, Number(redis.port));
    await until(async () => (await signIn(early)).status === 200);
    await early.close();
  });
});
