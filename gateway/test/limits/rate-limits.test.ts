import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { readGatewayConfig } from '../../src/config.ts';
import { getToken, SECRET, signIn, startWithServices, type TestGateway, WITH_KEY } from '../support/gateway.ts';

const start = (env: Record<string, string>) => startWithServices({ TRUSTED_PROXIES: '127.0.0.0/8,::1', ...env });
const WRONG_KEY = { 'x-api-key': 'wrong' };

function sendGet({ url }: TestGateway, path: string, headers: Record<string, string> = {}, from?: string) {
  return fetch(url + path, { headers: { ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) } });
}

/** Sends requests in sequence until `isDone`, and counts their statuses. */
async function count(send: () => Promise<Response>, isDone: (counts: Record<number, number>, sent: number) => boolean) {
  const counts: Record<number, number> = {};
  for (let sent = 0; !isDone(counts, sent); sent++) {
    const { status } = await send();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const statuses = (times: number, send: () => Promise<Response>) => count(send, (_counts, sent) => sent === times);

/** Sends requests until `count` are refused. Before, the quota is allowed, and what refills meanwhile. */
async function expectQuota(quota: number, refusals: number, send: () => Promise<Response>, status = 200) {
  const startedAt = Date.now();
  const counts = await count(send, ({ 429: refused = 0 }, sent) => refused === refusals || sent === 20 * quota);
  const refilled = Math.ceil(((Date.now() - startedAt) / 60_000) * quota);
  const { [status]: allowed = 0, ...others } = counts;
  expect(others).toEqual({ 429: refusals });
  expect(allowed).toBeGreaterThanOrEqual(quota);
  expect(allowed).toBeLessThanOrEqual(quota + refilled);
}

describe('a principal', () => {
  test('reads the remaining quota, and is refused with 429 at its end', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '3' });
    const left: (string | null)[] = [];
    for (let n = 0; n < 3; n++) {
      const response = await sendGet(gateway, '/agents', WITH_KEY);
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit-policy')).toBe('"principal";q=3;w=60');
      left.push(response.headers.get('ratelimit'));
    }
    expect(left.map((header) => /^"principal";r=(\d);t=\d+$/.exec(header ?? '')?.[1])).toEqual(['2', '1', '0']);
    const refused = await sendGet(gateway, '/agents', WITH_KEY);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect(refused.headers.get('ratelimit')).toMatch(/^"principal";r=0;t=\d+$/);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
    expect(await gateway.metrics()).toMatch(/gateway_rate_limited_total\{policy="principal"\} 1\n/);
  });

  test("reads the remaining quota from the gateway's own responses too", async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '100' });
    const authorization = `Bearer ${await getToken(gateway)}`;
    const limitOf = async (path: string, headers = {}) =>
      (await sendGet(gateway, path, headers)).headers.get('ratelimit');
    expect(await limitOf('/protected', { authorization })).toMatch(/^"principal";r=99;t=1$/);
    expect(await limitOf('/agents', WRONG_KEY)).toMatch(/^"failed-authentication";r=9;t=\d+$/);
    expect(await limitOf('/openapi.json')).toMatch(/^"address";r=\d+;t=\d+$/);
  });

  test('has one limit for all its addresses', async () => {
    const gateway = await start({ RATE_LIMIT_PER_MINUTE: '20' });
    let client = 0;
    await expectQuota(20, 2, () => sendGet(gateway, '/agents', WITH_KEY, `198.51.100.${client++}`));
    expect((await sendGet(gateway, '/agents', { authorization: `Bearer ${await getToken(gateway)}` })).status).toBe(
      200,
    );
  });
});

test('refusals come in the order of credentials, rate limit, path, method and scope', async () => {
  const gateway = await start({ RATE_LIMIT_PER_MINUTE: '4', AUTH_LIMIT_PER_MINUTE: '100' });
  const token = gateway.identity.issue(await gateway.identity.addUser({ role: 'viewer' }));
  const statusOf = async (method: string, path: string, sent = token) =>
    (await fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${sent}` } })).status;
  expect(await statusOf('PATCH', '/agents/7/nothing', 'bad')).toBe(401);
  expect(await statusOf('PATCH', '/agents/7/nothing')).toBe(404);
  expect(await statusOf('PATCH', '/users')).toBe(405);
  expect(await statusOf('GET', '/users')).toBe(403);
  expect(await statusOf('GET', '/agents')).toBe(200);
  expect(await statusOf('PATCH', '/agents/7/nothing')).toBe(429);
  expect(await statusOf('PATCH', '/agents/7/nothing', 'bad')).toBe(401);
  // A path of no service.
  expect(await statusOf('GET', '/nothing', 'bad')).toBe(404);
});

test('limits a client without credentials by its address', async () => {
  const gateway = await start({ RATE_LIMIT_PER_MINUTE: '12' });
  const from = (address: string, path = '/api/skills') => sendGet(gateway, path, {}, address);
  await expectQuota(12, 2, () => from('198.51.100.1'));
  expect(await statuses(3, () => from('198.51.100.2'))).toEqual({ 200: 3 });
  // A client with an IPv6 address has the whole /64.
  let host = 1;
  await expectQuota(12, 2, () => from(`2001:db8:7::${host++}`));
  expect((await from('198.51.100.1', '/health')).status).toBe(200);
  expect((await from('198.51.100.1', '/ready')).status).toBe(200);
  // Missing credentials count as well.
  await expectQuota(12, 2, () => from('198.51.100.3', '/agents'), 401);
  // So do paths of no service.
  await expectQuota(12, 2, () => from('198.51.100.4', '/nothing'), 404);
});

test('sign-ins of an address have a limit of their own, and reset codes count with them', async () => {
  const gateway = await start({ AUTH_LIMIT_PER_MINUTE: '600', SIGN_IN_LIMIT_PER_MINUTE: '4' });
  expect(await statuses(2, () => signIn(gateway))).toEqual({ 200: 2 });
  expect((await signIn(gateway, '/session')).status).toBe(200);
  expect((await signIn(gateway, '/password-resets/a-code', 'PUT')).status).toBe(200);
  for (const [path, method] of [['/token'], ['/session'], ['/password-resets/b', 'PUT']] as const) {
    const refused = await signIn(gateway, path, method);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    expect(refused.headers.get('ratelimit-policy')).toBe('"sign-in";q=4;w=60');
  }
  expect(gateway.reached()).toHaveLength(4);
  expect((await sendGet(gateway, '/agents', WITH_KEY)).status).toBe(200);
  // The session of a browser is no sign-in.
  expect((await sendGet(gateway, '/session', WITH_KEY)).status).toBe(200);
  // Failed sign-ins do not count as failed authentications, and vice versa.
  expect((await sendGet(gateway, '/agents', WRONG_KEY)).headers.get('ratelimit')).toMatch(/r=599;/);
  const headers = { 'x-forwarded-for': '198.51.100.9' };
  const elsewhere = await fetch(`${gateway.url}/token`, { method: 'POST', headers, body: new URLSearchParams('') });
  expect(elsewhere.status).toBe(200);
});

test('an address has 60 sign-ins a minute by default, even if requests have no limit', () => {
  const { rateLimits } = readGatewayConfig({ JWT_SECRET: SECRET, RATE_LIMIT_PER_MINUTE: '0' });
  expect(rateLimits).toEqual({ perMinute: 0, authPerMinute: 0, signInPerMinute: 60 });
});

test('an address with too many failed authentications is refused with 429, unless its credentials are known', async () => {
  const gateway = await start({ RATE_LIMIT_PER_MINUTE: '6000', AUTH_LIMIT_PER_MINUTE: '5' });
  const authorization = `Bearer ${await getToken(gateway)}`;
  const statusOf = async (headers: Record<string, string>, from?: string) =>
    (await sendGet(gateway, '/agents', headers, from)).status;
  expect(await statusOf({ authorization })).toBe(200);
  let guess = 0;
  const guessed = () => sendGet(gateway, '/agents', { 'x-api-key': `guess-${guess++}` });
  expect(await statuses(7, guessed)).toEqual({ 403: 5, 429: 2 });
  // A valid key that was never used looks like a guess.
  expect(await statusOf(WITH_KEY)).toBe(429);
  expect(await statusOf({ authorization })).toBe(200);
  expect(await statusOf(WITH_KEY, '198.51.100.7')).toBe(200);
  expect(await statusOf(WITH_KEY)).toBe(200);
  expect(await statusOf({ authorization: 'Bearer guess' })).toBe(429);
  expect(await statusOf({ authorization: 'Basic Z3Vlc3M6MQ==' })).toBe(429);
  expect((await sendGet(gateway, '/api/skills')).status).toBe(200);
  // Invalid tokens count like invalid keys.
  const badToken = () => sendGet(gateway, '/agents', { authorization: 'Bearer a.b.c' }, '198.51.100.8');
  expect(await statuses(6, badToken)).toEqual({ 401: 5, 429: 1 });
});

test('a limit of 0 disables it', async () => {
  const gateway = await start({ RATE_LIMIT_PER_MINUTE: '0', SIGN_IN_LIMIT_PER_MINUTE: '0' });
  const response = await sendGet(gateway, '/agents', WITH_KEY);
  expect([response.status, response.headers.get('ratelimit')]).toEqual([200, null]);
  expect(await statuses(20, () => signIn(gateway))).toEqual({ 200: 20 });
});

test('each process counts alone while Redis is unavailable, and logs it', async () => {
  const redis = await startTestRedis();
  const gateway = await start({ RATE_LIMIT_PER_MINUTE: '40', REDIS_URL: redis.url });
  const logged = (text: string) => gateway.logs.filter(({ msg }) => msg.includes(text)).length;
  const send = () => sendGet(gateway, '/api/skills');
  expect(await statuses(5, send)).toEqual({ 200: 5 });
  await redis.kill();
  const startedAt = Date.now();
  const counts = await statuses(50, send);
  const refilled = Math.ceil(((Date.now() - startedAt) / 60_000) * 40);
  expect(Object.keys(counts)).toEqual(['200', '429']);
  expect(counts[200]).toBeGreaterThan(30);
  expect(counts[200]).toBeLessThan(39 + refilled);
  expect(logged('rate limits apply per process')).toBe(1);
  expect(await gateway.metrics()).toContain('gateway_rate_limit_local 1\n');
  await redis.restart();
  await until(async () => {
    await send();
    return logged('rate limits apply across all processes again') > 0;
  });
  expect(await gateway.metrics()).toContain('gateway_rate_limit_local 0\n');
  await gateway.close();
  await redis.close();
});
