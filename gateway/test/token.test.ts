import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { cpuTimeOf } from './support/cpu-time.ts';
import { forwardTo } from './support/forwarder.ts';
import { EMAIL, type Fleet, nowhere, PASSWORD, SECRET, signIn, startFleet, startGateway } from './support/gateway.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ ACCESS_TOKEN_TTL_SECONDS: '90', JWT_ISSUER: 'the-issuer', JWT_AUDIENCE: 'the-audience' });
});
afterAll(() => fleet.close());

const FORM = 'application/x-www-form-urlencoded';
const post = (body: string, type: string | undefined = FORM) =>
  fetch(`${fleet.url}/token`, { method: 'POST', body, headers: type === undefined ? {} : { 'content-type': type } });
const good = `username=${encodeURIComponent(EMAIL)}&password=${encodeURIComponent(PASSWORD)}`;

test('a user gets a token that opens what needs one', async () => {
  const answer = await signIn(fleet.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('pragma')).toBe('no-cache');
  expect(answer.headers.get('content-type')).toContain('application/json');
  const body = (await answer.json()) as { access_token: string };
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 90 });
  const headers = { authorization: `Bearer ${body.access_token}` };
  expect((await fetch(`${fleet.url}/protected`, { headers })).status).toBe(200);
});

test('the token is a JWT with all its claims', async () => {
  const { access_token: token } = (await (await signIn(fleet.url)).json()) as { access_token: string };
  const { header, payload } = jwt.verify(token, SECRET, { complete: true, algorithms: ['HS256'] });
  expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) });
  const { iat } = payload as { iat: number };
  expect(payload).toEqual({ sub: EMAIL, iss: 'the-issuer', aud: 'the-audience', iat, exp: iat + 90 });
});

test.each(['ADMIN@Example.COM', ` ${EMAIL} `])('the e-mail address may be written as %j', async (username) => {
  expect((await signIn(fleet.url, username)).status).toBe(200);
});

test.each([
  ['a wrong password', EMAIL, 'wrong'],
  ['an empty password', EMAIL, ''],
  ['an unknown user', 'nobody@example.com', PASSWORD],
  ['an empty user', '', PASSWORD],
  ['what is no e-mail address', 'x'.repeat(1_000), PASSWORD],
  ['a user with NUL', `${EMAIL}\0`, PASSWORD],
])('%s: 401', async (_what, username, password) => {
  const answer = await signIn(fleet.url, username, password);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toEqual({ detail: 'Incorrect username or password' });
});

test('an unknown user takes as much work as a wrong password', async () => {
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

describe('400', () => {
  test.each([
    ['no username', `password=${PASSWORD}`, 'username'],
    ['no password', `username=${EMAIL}`, 'password'],
    ['an empty form', '', ''],
    ['another grant', `${good}&grant_type=client_credentials`, 'grant_type'],
    ['a field twice', `${good}&username=other`, 'username'],
    ['a grant twice', `${good}&grant_type=password&grant_type=password`, 'grant_type'],
  ])('for %s', async (_what, body, field) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    const { error, details } = (await answer.json()) as { error: string; details: { fields: { path: string }[] } };
    expect(error).toBe('validation_error');
    expect(details.fields.map(({ path }) => path)).toContain(field);
  });
});

test('a body that is not a form is 415', async () => {
  const body = JSON.stringify({ username: EMAIL, password: PASSWORD });
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
    const answer = await post(body, type);
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: 'unsupported_media_type' });
  }
});

test('a body of more than 16 KiB is 413', async () => {
  const answer = await post(`${good}&scope=${'x'.repeat(20_000)}`);
  expect(answer.status).toBe(413);
});

test('what else OAuth 2 clients send is let pass', async () => {
  expect((await post(`${good}&grant_type=password&scope=&client_id=a&client_secret=b`)).status).toBe(200);
  const headers = { authorization: 'Basic YTpi', 'content-type': `${FORM};charset=UTF-8` };
  expect((await fetch(`${fleet.url}/token`, { method: 'POST', body: good, headers })).status).toBe(200);
});

test('another method is 405 with Allow, and OPTIONS 204', async () => {
  const answer = await fetch(`${fleet.url}/token`);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  expect(await answer.json()).toMatchObject({ error: 'method_not_allowed' });
  const options = await fetch(`${fleet.url}/token`, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
});

describe('the first user', () => {
  test('is left as it is when there is one already', async () => {
    const services = await nowhere();
    const env = { REDIS_PREFIX: fleet.gateway.prefix, AGENTS_URL: services, REGISTRY_URL: services };
    const other = await startGateway({ ...env, ADMIN_PASSWORD: 'another password' });
    await until(async () => ((await (await fetch(`${other.url}/ready`)).json()) as Ready).checks.redis === 'ok');
    expect((await signIn(other.url, EMAIL, 'another password')).status).toBe(401);
    expect((await signIn(other.url)).status).toBe(200);
    await other.close();
  });

  test('is added once by several replicas that start together', async () => {
    const services = await nowhere();
    const env = { REDIS_PREFIX: `${fleet.gateway.prefix}-x`, AGENTS_URL: services, REGISTRY_URL: services };
    const passwords = ['password-one', 'password-two', 'password-three'];
    const replicas = await Promise.all(passwords.map((ADMIN_PASSWORD) => startGateway({ ...env, ADMIN_PASSWORD })));
    await Promise.all(
      replicas.map(({ url }) =>
        until(async () => ((await (await fetch(`${url}/ready`)).json()) as Ready).checks.redis === 'ok'),
      ),
    );
    const url = replicas[0]?.url as string;
    const statuses = await Promise.all(passwords.map(async (password) => (await signIn(url, EMAIL, password)).status));
    expect(statuses.sort()).toEqual([200, 401, 401]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  test('is added as soon as Redis comes, and the gateway serves meanwhile', async () => {
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

interface Ready {
  checks: Record<string, string>;
}
