import { startTestRedis } from '@agent-fleet/scripts/local/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readGatewayConfig } from '../../src/config.ts';
import { API_KEY, EMAIL, type Fleet, getToken, PASSWORD, signIn, startFleet } from '../support/gateway.ts';

const fleets: Fleet[] = [];
afterEach(async () => {
  for (const fleet of fleets.splice(0)) await fleet.close();
});

async function start(env: Record<string, string>, logger = createLogger('gateway', 'silent')): Promise<Fleet> {
  const fleet = await startFleet({ TRUSTED_PROXIES: '127.0.0.0/8,::1', ...env }, logger);
  fleets.push(fleet);
  return fleet;
}

const withKey = { 'x-api-key': API_KEY };

function ask(fleet: Fleet, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(fleet.url + path, { headers });
}

async function statuses(times: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n++) {
    const { status } = await send();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** Sends requests until so many are refused. The quota is allowed before, and what refills meanwhile. */
async function expectQuota(quota: number, refusals: number, send: () => Promise<Response>, status = 200) {
  const startedAt = Date.now();
  const counts: Record<number, number> = {};
  for (let sent = 0; (counts[429] ?? 0) < refusals && sent < 20 * quota; sent++) {
    const answer = await send();
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
  }
  const cameBack = Math.ceil(((Date.now() - startedAt) / 60_000) * quota);
  const { [status]: allowed = 0, ...others } = counts;
  expect(others).toEqual({ 429: refusals });
  expect(allowed).toBeGreaterThanOrEqual(quota);
  expect(allowed).toBeLessThanOrEqual(quota + cameBack);
}

describe('a principal', () => {
  test('reads the remaining quota, and is refused with 429 at its end', async () => {
    const fleet = await start({ RATE_LIMIT_PER_MINUTE: '3' });
    const left: (string | null)[] = [];
    for (let n = 0; n < 3; n++) {
      const answer = await ask(fleet, '/agents', withKey);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toBe('"principal";q=3;w=60');
      left.push(answer.headers.get('ratelimit'));
    }
    expect(left.map((header) => /^"principal";r=(\d);t=\d+$/.exec(header ?? '')?.[1])).toEqual(['2', '1', '0']);
    const refused = await ask(fleet, '/agents', withKey);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect(refused.headers.get('ratelimit')).toMatch(/^"principal";r=0;t=\d+$/);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
    expect(await fleet.gateway.metrics()).toMatch(/gateway_rate_limited_total\{policy="principal"\} 1\n/);
  });

  test("reads it from the gateway's own responses too", async () => {
    const fleet = await start({ RATE_LIMIT_PER_MINUTE: '100' });
    const token = await getToken(fleet.url);
    const answer = await ask(fleet, '/protected', { authorization: `Bearer ${token}` });
    expect(answer.headers.get('ratelimit')).toMatch(/^"principal";r=99;t=1$/);
    expect((await ask(fleet, '/agents', { 'x-api-key': 'wrong' })).headers.get('ratelimit')).toMatch(
      /^"failed-authentication";r=9;t=\d+$/,
    );
    expect((await ask(fleet, '/openapi.json')).headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=\d+$/);
  });

  test('has one limit for all its addresses', async () => {
    const fleet = await start({ RATE_LIMIT_PER_MINUTE: '20' });
    const bearer = { authorization: `Bearer ${await getToken(fleet.url)}` };
    let client = 0;
    const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${client++}` });
    await expectQuota(20, 2, () => ask(fleet, '/agents', { ...withKey, ...elsewhere() }));
    expect((await ask(fleet, '/agents', bearer)).status).toBe(200);
  });
});

test('two gateways share one count', async () => {
  const one = await start({ RATE_LIMIT_PER_MINUTE: '30' });
  const other = await start({ RATE_LIMIT_PER_MINUTE: '30', REDIS_PREFIX: one.gateway.prefix });
  let turn = 0;
  const send = () => ask(turn++ % 2 ? one : other, '/agents', withKey);
  await expectQuota(30, 3, send);
});

test('limits a client without credentials by its address', async () => {
  const fleet = await start({ RATE_LIMIT_PER_MINUTE: '12' });
  const from = (address: string, path = '/api/skills') => ask(fleet, path, { 'x-forwarded-for': address });
  await expectQuota(12, 2, () => from('198.51.100.1'));
  expect(await statuses(3, () => from('198.51.100.2'))).toEqual({ 200: 3 });
  // One who has an IPv6 address has all of its /64.
  let host = 1;
  await expectQuota(12, 2, () => from(`2001:db8:7::${host++}`));
  expect((await from('198.51.100.1', '/health')).status).toBe(200);
  expect((await from('198.51.100.1', '/ready')).status).toBe(200);
  // No credentials where some are wanted counts as well.
  await expectQuota(12, 2, () => from('198.51.100.3', '/agents'), 401);
});

test('ignores X-Forwarded-For of an untrusted client', async () => {
  const fleet = await start({ RATE_LIMIT_PER_MINUTE: '10', TRUSTED_PROXIES: '' });
  let client = 0;
  const send = () => ask(fleet, '/api/skills', { 'x-forwarded-for': `198.51.100.${client++}` });
  expect(await statuses(14, send)).toMatchObject({ 429: expect.any(Number) });
});

test('sign-ins of an address have a limit of their own, whether they succeed or not', async () => {
  const fleet = await start({ AUTH_LIMIT_PER_MINUTE: '600', SIGN_IN_LIMIT_PER_MINUTE: '4' });
  expect(await statuses(2, () => signIn(fleet.url))).toEqual({ 200: 2 });
  expect(await statuses(2, () => signIn(fleet.url, EMAIL, 'wrong'))).toEqual({ 401: 2 });
  const refused = await signIn(fleet.url, EMAIL, PASSWORD);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('ratelimit-policy')).toBe('"sign-in";q=4;w=60');
  expect((await ask(fleet, '/agents', withKey)).status).toBe(200);
  // Failed sign-ins are no failed authentications, and the other way round.
  expect((await ask(fleet, '/agents', { 'x-api-key': 'wrong' })).headers.get('ratelimit')).toMatch(/r=599;/);
  const elsewhere = await fetch(`${fleet.url}/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '198.51.100.9' },
    body: new URLSearchParams({ username: EMAIL, password: PASSWORD }),
  });
  expect(elsewhere.status).toBe(200);
});

test('an address has 60 sign-ins a minute by default, where requests have no limit too', () => {
  const { rateLimits } = readGatewayConfig({ RATE_LIMIT_PER_MINUTE: '0' });
  expect(rateLimits).toEqual({ perMinute: 0, authPerMinute: 0, signInPerMinute: 60 });
});

describe('an address with too many failed authentications', () => {
  test('is refused with 429 before its credentials are checked, unless they are known', async () => {
    const fleet = await start({ RATE_LIMIT_PER_MINUTE: '6000', AUTH_LIMIT_PER_MINUTE: '5' });
    const token = await getToken(fleet.url);
    expect((await ask(fleet, '/agents', { authorization: `Bearer ${token}` })).status).toBe(200);
    let guess = 0;
    const guessed = () => ask(fleet, '/agents', { 'x-api-key': `guess-${guess++}` });
    expect(await statuses(7, guessed)).toEqual({ 403: 5, 429: 2 });
    // A good key that nobody has used yet is not told from a guess.
    expect((await ask(fleet, '/agents', withKey)).status).toBe(429);
    expect((await ask(fleet, '/agents', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await ask(fleet, '/agents', { ...withKey, 'x-forwarded-for': '198.51.100.7' })).status).toBe(200);
    expect((await ask(fleet, '/agents', withKey)).status).toBe(200);
    for (const authorization of ['Bearer guess', 'Basic Z3Vlc3M6MQ==']) {
      expect((await ask(fleet, '/agents', { authorization })).status).toBe(429);
    }
    expect((await ask(fleet, '/api/skills')).status).toBe(200);
  });

  test('is limited for bad tokens as for bad keys', async () => {
    const fleet = await start({ RATE_LIMIT_PER_MINUTE: '6000', AUTH_LIMIT_PER_MINUTE: '5' });
    expect(await statuses(6, () => ask(fleet, '/agents', { authorization: 'Bearer a.b.c' }))).toEqual({
      401: 5,
      429: 1,
    });
  });
});

test('a limit of 0 disables it', async () => {
  const fleet = await start({ RATE_LIMIT_PER_MINUTE: '0', SIGN_IN_LIMIT_PER_MINUTE: '0' });
  const answer = await ask(fleet, '/agents', withKey);
  expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null]);
  expect(await statuses(20, () => signIn(fleet.url, EMAIL, 'wrong'))).toEqual({ 401: 20 });
});

test('each process counts alone while Redis is unavailable, and logs it', async () => {
  const redis = await startTestRedis();
  const lines: string[] = [];
  const logger = createLogger('gateway', 'info', { write: (line) => lines.push(line) });
  const fleet = await start({ RATE_LIMIT_PER_MINUTE: '40', REDIS_URL: redis.url }, logger);
  const send = () => ask(fleet, '/api/skills');
  expect(await statuses(5, send)).toEqual({ 200: 5 });
  await redis.kill();
  const startedAt = Date.now();
  const counts = await statuses(50, send);
  const cameBack = Math.ceil(((Date.now() - startedAt) / 60_000) * 40);
  expect(Object.keys(counts)).toEqual(['200', '429']);
  expect(counts[200]).toBeGreaterThan(30);
  expect(counts[200]).toBeLessThan(39 + cameBack);
  expect(lines.filter((line) => line.includes('rate limits apply per process'))).toHaveLength(1);
  expect(await fleet.gateway.metrics()).toContain('gateway_rate_limit_local 1\n');
  await redis.restart();
  await until(async () => {
    await send();
    return lines.some((line) => line.includes('rate limits apply across all processes again'));
  });
  expect(await fleet.gateway.metrics()).toContain('gateway_rate_limit_local 0\n');
  await fleets.pop()?.close();
  await redis.close();
});
