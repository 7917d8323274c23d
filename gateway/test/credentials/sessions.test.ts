import type { SessionRecord, UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startGateway, startWithServices } from '../support/gateway.ts';
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

  test('of a user who is disabled, or has signed out everywhere else, though it is still stored', async () => {
    const other = await identity.addUser();
    const [kept, ended] = [await identity.addSession(other), await identity.addSession(other)];
    for (const { cookie } of [kept, ended]) expect((await check(cookie)).status).toBe(200);
    const signedOut = { tokens_valid_after: Date.now() + 1_000, kept_session: kept.session.id };
    const changed = await identity.changeUser(other, signedOut);
    await untilRefused(ended.cookie);
    expect((await check(kept.cookie)).status).toBe(200);
    await identity.changeUser(changed, { disabled: true });
    await untilRefused(kept.cookie);
  });

  test('that holds a refresh token', async () => {
    const { cookie } = await identity.addSession(user, { kind: 'refresh' });
    expect(await check(cookie)).toMatchObject(REFUSED);
  });
});

test('a bad cookie beside credentials in headers does not keep a known client out that has failed too often', async () => {
  const strict = await startWithServices({ AUTH_LIMIT_PER_MINUTE: '2' });
  const token = strict.identity.issue(await strict.identity.admin());
  expect(await statusOf(strict, withToken(token))).toBe(200);
  await until(async () => (await statusOf(strict, { 'x-api-key': 'wrong' })) === 429);
  expect(await statusOf(strict, { ...withToken(token), cookie: 'fleet=other' })).toBe(200);
  expect(await statusOf(strict, { cookie: 'fleet=other' })).toBe(429);
});

test('two values of Sec-Fetch-Site are not those of a page of the same origin', async () => {
  const lines = ['DELETE /agents/7 HTTP/1.1', 'Host: a', 'Connection: close', `Cookie: fleet=${good.cookie}`];
  const site = 'Sec-Fetch-Site: same-origin';
  const answer = (...more: string[]) => exchangeRaw(gateway.server.port, [...lines, ...more, '', ''].join('\r\n'));
  expect(statusesIn(await answer(site))).toEqual([200]);
  expect(statusesIn(await answer(site, 'Sec-Fetch-Site: cross-site'))).toEqual([403]);
});

describe('GET /session?optional=true', () => {
  const CHECK = '/session?optional=true';

  test('counts as any request, and a wrong cookie as a failed authentication', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '10', AUTH_LIMIT_PER_MINUTE: '3' };
    const [limited, guessed] = [await startWithServices(env), await startWithServices(env)];
    const statuses: number[] = [];
    for (let times = 0; times < 12; times++) statuses.push((await send(limited, CHECK)).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    await until(async () => (await statusOf(guessed, withCookie('b'.repeat(43)), CHECK)) === 429);
    const { cookie } = await guessed.identity.addSession(await guessed.identity.addUser());
    // As with every other request, new credentials are not even looked at now.
    expect(await statusOf(guessed, withCookie(cookie), CHECK)).toBe(429);
  });

  test('opens no other path', async () => {
    const alone = await startGateway();
    for (const path of ['/users', '/users/me', '/agents', '/agents/7', '/agents/7/tasks', '/protected']) {
      expect([path, await statusOf(alone, {}, `${path}?optional=true`)]).toEqual([path, 401]);
    }
    for (const path of ['/session/x', '/session/', '/SESSION']) {
      expect([401, 404]).toContain(await statusOf(alone, {}, `${path}?optional=true`));
    }
  });
});
