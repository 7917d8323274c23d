import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { exchangeRaw, statusesIn } from '../support/raw-client.ts';
import { send, statusOf, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;
let user: UserRecord;

beforeAll(async () => {
  gateway = await startWithServices();
  ({ identity } = gateway);
  user = await identity.addUser();
});

const withCookie = (cookie: string) => ({ cookie: `fleet=${cookie}` });
const check = (cookie: string) => send(gateway, '/session', { headers: withCookie(cookie) });
const REFUSED = { status: 401, body: { detail: 'Could not validate credentials' } };
const untilRefused = async (cookie: string) =>
  expect(await until(() => check(cookie), { holds: ({ status }) => status !== 200 })).toMatchObject(REFUSED);

describe('is refused: a cookie', () => {
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
  const { cookie } = await identity.addSession(user);
  const lines = ['DELETE /agents/7 HTTP/1.1', 'Host: a', 'Connection: close', `Cookie: fleet=${cookie}`];
  const site = 'Sec-Fetch-Site: same-origin';
  const answer = (...more: string[]) => exchangeRaw(gateway.server.port, [...lines, ...more, '', ''].join('\r\n'));
  expect(statusesIn(await answer(site))).toEqual([200]);
  expect(statusesIn(await answer(site, 'Sec-Fetch-Site: cross-site'))).toEqual([403]);
});

const CHECK = '/session?optional=true';

test('GET /session?optional=true counts as any request, and a wrong cookie as a failed authentication', async () => {
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
