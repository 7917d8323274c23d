import type { SessionRecord, UserRecord } from '@agent-fleet/shared/identity/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices, WITH_KEY } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { exchangeRaw, statusesIn } from '../support/raw-client.ts';
import { send, statusOf, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;
let user: UserRecord;
let good: { cookie: string; session: SessionRecord };

beforeAll(async () => {
  gateway = await startWithServices({ TRUSTED_PROXIES: '127.0.0.1' });
  ({ identity } = gateway);
  user = await identity.addUser();
  good = await identity.addSession(user);
});

const withCookie = (cookie: string) => ({ cookie: `fleet=${cookie}` });
const check = (cookie: string) => send(gateway, '/session', { headers: withCookie(cookie) });
const REFUSED = { status: 401, body: { detail: 'Could not validate credentials' } };
const untilRefused = async (cookie: string) =>
  expect(await until(() => check(cookie), { holds: ({ status }) => status !== 200 })).toMatchObject(REFUSED);

test('a cookie authenticates its user, and does so again from the cache', async () => {
  for (let times = 0; times < 3; times++) expect((await check(good.cookie)).status).toBe(200);
});

test('a cookie does not authenticate /protected, which needs a token', async () => {
  expect(await statusOf(gateway, withCookie(good.cookie), '/protected')).toBe(401);
  const both = { ...withCookie(good.cookie), ...withToken(identity.issue(user)) };
  expect(await statusOf(gateway, both, '/protected')).toBe(200);
});

describe('the name of the cookie', () => {
  const HTTPS = { 'x-forwarded-proto': 'https' };
  const names = async (headers: Record<string, string>, from = gateway) => {
    const status = (name: string) => statusOf(from, { ...headers, cookie: `${name}=${good.cookie}` });
    return Object.fromEntries(
      await Promise.all(['fleet', '__Host-fleet', 'Fleet', 'xfleet'].map(async (name) => [name, await status(name)])),
    );
  };

  test('is fleet without https', async () => {
    const plain = { fleet: 200, '__Host-fleet': 401, Fleet: 401, xfleet: 401 };
    expect(await names({})).toEqual(plain);
    expect(await names({ 'x-forwarded-proto': 'http' })).toEqual(plain);
    expect(await names({ 'x-forwarded-proto': 'https, http' })).toEqual(plain);
  });

  test('is __Host-fleet when a trusted proxy reports https', async () => {
    expect(await names(HTTPS)).toEqual({ fleet: 401, '__Host-fleet': 200, Fleet: 401, xfleet: 401 });
  });

  test('does not depend on what an untrusted client reports', async () => {
    const direct = await startWithServices({ REDIS_PREFIX: gateway.prefix });
    expect(await names(HTTPS, direct)).toMatchObject({ fleet: 200, '__Host-fleet': 401 });
  });
});

describe('is refused: a cookie', () => {
  const unknown = 'a'.repeat(43);

  test.each([
    ['that is unknown', () => `fleet=${unknown}`],
    ['without a value', () => 'fleet='],
    ['that is longer', () => `fleet=${good.cookie}a`],
    ['in quotes', () => `fleet="${good.cookie}"`],
    ['whose name occurs twice', () => `fleet=${good.cookie}; fleet=${good.cookie}`],
    ['whose name occurs twice, the other unknown', () => `fleet=${unknown}; fleet=${good.cookie}`],
    ['whose name occurs twice without a blank', () => `fleet=${good.cookie};fleet=${unknown}`],
  ])('%s', async (_what, cookie) => {
    expect(await send(gateway, '/session', { headers: { cookie: cookie() } })).toMatchObject(REFUSED);
  });

  test('whose name occurs in two header lines', async () => {
    const line = `Cookie: fleet=${good.cookie}\r\n`;
    const request = (lines: string) => `GET /session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`;
    expect(statusesIn(await exchangeRaw(gateway.server.port, request(line)))).toEqual([200]);
    expect(statusesIn(await exchangeRaw(gateway.server.port, request(line + line)))).toEqual([401]);
  });

  test('that was not used for too long; each use begins that time anew', async () => {
    const idle = await identity.addSession(user, {}, 50);
    await until(async () => (await identity.redis.exists(identity.keys.used(idle.session.id))) === 0);
    expect(await check(idle.cookie)).toMatchObject(REFUSED);
    const used = await identity.addSession(user, {}, 60_000);
    expect((await check(used.cookie)).status).toBe(200);
    expect(await identity.redis.pttl(identity.keys.used(used.session.id))).toBeGreaterThan(11 * 3_600_000);
  });

  test('at its end in any case', async () => {
    const ended = await identity.addSession(user, { expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await check(ended.cookie)).toMatchObject(REFUSED);
    const ending = await identity.addSession(user, { expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect((await check(ending.cookie)).status).toBe(200);
    await untilRefused(ending.cookie);
  });

  test('that was signed out, but not another one of the user', async () => {
    const { cookie, session } = await identity.addSession(user);
    expect((await check(cookie)).status).toBe(200);
    await identity.endSession(session);
    await untilRefused(cookie);
    expect((await check(good.cookie)).status).toBe(200);
  });

  test('of a user who was disabled, deleted, or signed out everywhere', async () => {
    const other = await identity.addUser();
    const [kept, ended] = [await identity.addSession(other), await identity.addSession(other)];
    for (const { cookie } of [kept, ended]) expect((await check(cookie)).status).toBe(200);
    const signedOut = { tokens_valid_after: Date.now() + 1_000, kept_session: kept.session.id };
    const changed = await identity.changeUser(other, signedOut);
    await untilRefused(ended.cookie);
    expect((await check(kept.cookie)).status).toBe(200);
    const disabled = await identity.changeUser(changed, { disabled: true });
    await untilRefused(kept.cookie);
    await identity.changeUser(disabled, { disabled: false });
    expect((await check(kept.cookie)).status).toBe(200);
    await identity.removeUser(other);
    await untilRefused(kept.cookie);
  });

  test('that holds a refresh token', async () => {
    const { cookie } = await identity.addSession(user, { kind: 'refresh' });
    expect(await check(cookie)).toMatchObject(REFUSED);
  });
});

describe('beside credentials in headers a cookie is ignored', () => {
  const principal = () => gateway.reached().at(-1)?.headers['x-fleet-principal'];

  test('whether it is good or not', async () => {
    const other = await identity.addUser();
    for (const cookie of [withCookie(good.cookie), withCookie('bad')]) {
      expect(await statusOf(gateway, { ...cookie, ...withToken(identity.issue(other)) })).toBe(200);
      expect(principal()).toBe(`user:${other.email}`);
      expect(await statusOf(gateway, { ...cookie, ...WITH_KEY })).toBe(200);
      expect(principal()).toBe('key:ci');
    }
  });

  test('also when those are not valid', async () => {
    expect(await statusOf(gateway, { ...withCookie(good.cookie), ...withToken('bad') })).toBe(401);
    expect(await statusOf(gateway, { ...withCookie(good.cookie), 'x-api-key': 'bad' })).toBe(403);
  });

  test('and a page of another site does not matter', async () => {
    const headers = { ...withCookie(good.cookie), ...WITH_KEY, 'sec-fetch-site': 'cross-site' };
    expect((await send(gateway, '/agents', { method: 'POST', headers })).status).toBe(200);
  });

  test('and does not keep a known client out that has failed too often', async () => {
    const strict = await startWithServices({ AUTH_LIMIT_PER_MINUTE: '2' });
    const token = strict.identity.issue(await strict.identity.admin());
    expect(await statusOf(strict, withToken(token))).toBe(200);
    await until(async () => (await statusOf(strict, { 'x-api-key': 'wrong' })) === 429);
    expect(await statusOf(strict, { ...withToken(token), cookie: 'fleet=other' })).toBe(200);
    expect(await statusOf(strict, { cookie: 'fleet=other' })).toBe(429);
  });
});

describe('a page of another origin cannot use a cookie:', () => {
  const SITES = ['same-origin', 'same-site', 'cross-site', 'none', undefined];
  const SAFE = ['GET', 'HEAD', 'OPTIONS'];
  const origins = () => [gateway.url, 'https://evil.example', 'null', undefined];
  const request = (method: string, headers: Record<string, string>) =>
    send(gateway, '/agents/7', { method, headers: { ...withCookie(good.cookie), ...headers } });

  test.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])('%s', async (method) => {
    const passes = { OPTIONS: 204, POST: 405, PATCH: 405 }[method] ?? 200;
    for (const site of SITES) {
      for (const origin of origins()) {
        const isGood = SAFE.includes(method) || (site === undefined ? origin === gateway.url : site === 'same-origin');
        const { status, body } = await request(method, {
          ...(site !== undefined && { 'sec-fetch-site': site }),
          ...(origin !== undefined && { origin }),
        });
        expect([site, origin, status]).toEqual([site, origin, isGood ? passes : 403]);
        if (!isGood)
          expect(body).toMatchObject({ error: 'forbidden', message: expect.stringContaining('same origin') });
      }
    }
  });

  test('not by an origin that looks like the host', async () => {
    const { host, hostname, port } = new URL(gateway.url);
    const others = [`http://${host}.evil.example`, `http://${hostname}`, `http://${hostname}:1`, host, `//${host}`, ''];
    for (const origin of [...others, `http://evil.example?${host}`, `http://${hostname}:0${port}0`, 'file://']) {
      expect([origin, (await request('DELETE', { origin })).status]).toEqual([origin, 403]);
    }
  });

  test('not by two values of Sec-Fetch-Site', async () => {
    const lines = ['DELETE /agents/7 HTTP/1.1', 'Host: a', 'Connection: close', `Cookie: fleet=${good.cookie}`];
    const site = 'Sec-Fetch-Site: same-origin';
    const answer = (...more: string[]) => exchangeRaw(gateway.server.port, [...lines, ...more, '', ''].join('\r\n'));
    expect(statusesIn(await answer(site))).toEqual([200]);
    expect(statusesIn(await answer(site, 'Sec-Fetch-Site: cross-site'))).toEqual([403]);
  });
});

test('CORS never allows cookies', async () => {
  const origin = 'https://app.example';
  const open = await startWithServices({ CORS_ORIGINS: origin, REDIS_PREFIX: gateway.prefix });
  const headers = { ...withCookie(good.cookie), origin };
  const read = await send(open, '/agents', { headers });
  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  const preflight = await send(open, '/agents', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  for (const response of [read, preflight]) {
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('access-control-allow-headers') ?? '').not.toMatch(/cookie/i);
  }
});
