import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startGateway, startWithServices, WITH_KEY } from '../support/gateway.ts';
import { send, statusOf, withToken } from '../support/requests.ts';

const CHECK = '/session?optional=true';

let gateway: GatewayWithServices;
let user: UserRecord;

beforeAll(async () => {
  gateway = await startWithServices();
  user = await gateway.identity.addUser();
});

const withCookie = (cookie: string) => ({ cookie: `fleet=${cookie}` });
/** The principal that the service gets; undefined for none. */
async function principalOf(headers: Record<string, string> = {}, method = 'GET') {
  const { status } = await send(gateway, CHECK, { method, headers });
  expect(status).toBe(200);
  return gateway.reached().at(-1)?.headers['x-fleet-principal'];
}

test('is forwarded without a principal when nobody is signed in', async () => {
  expect(await principalOf()).toBeUndefined();
  expect(await principalOf({}, 'HEAD')).toBeUndefined();
  expect(gateway.reached().at(-1)).toMatchObject({ method: 'HEAD', url: CHECK });
  expect(Object.keys(gateway.reached().at(-1)?.headers ?? {}).filter((name) => name.startsWith('x-fleet-'))).toEqual([
    'x-fleet-internal-token',
  ]);
});

test('has the principal of good credentials', async () => {
  const { cookie } = await gateway.identity.addSession(user);
  expect(await principalOf(withCookie(cookie))).toBe(`user:${user.email}`);
  expect(await principalOf(withToken(gateway.identity.issue(user)))).toBe(`user:${user.email}`);
  expect(await principalOf(WITH_KEY)).toBe('key:ci');
});

test('may be stored by nobody but the browser', async () => {
  expect((await send(gateway, CHECK)).headers.get('cache-control')).toBe('private, no-cache');
});

describe('a cookie that is not valid is like none:', () => {
  const unknown = 'a'.repeat(43);
  test.each([
    ['an unknown one', () => unknown],
    ['an empty one', () => ''],
    ['one of another form', () => 'x'],
    ['two of them', () => `${unknown}; fleet=${unknown}`],
  ])('%s', async (_what, toCookie) => {
    expect(await principalOf(withCookie(toCookie()))).toBeUndefined();
  });

  test('one that has expired, was signed out, or is of a user who was disabled', async () => {
    const { identity } = gateway;
    const expired = await identity.addSession(user, { expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await principalOf(withCookie(expired.cookie))).toBeUndefined();
    const other = await identity.addUser();
    const [first, second] = [await identity.addSession(other), await identity.addSession(other)];
    for (const { cookie } of [first, second]) expect(await principalOf(withCookie(cookie))).toBeDefined();
    await identity.endSession(first.session);
    await until(async () => (await principalOf(withCookie(first.cookie))) === undefined);
    await identity.changeUser(other, { disabled: true });
    await until(async () => (await principalOf(withCookie(second.cookie))) === undefined);
  });
});

test('a wrong credential in a header is refused as always, also beside a good cookie', async () => {
  const { cookie } = await gateway.identity.addSession(user);
  for (const others of [{}, withCookie(cookie), withCookie('wrong')]) {
    expect(await statusOf(gateway, { ...others, ...withToken('wrong') }, CHECK)).toBe(401);
    expect(await statusOf(gateway, { ...others, authorization: '' }, CHECK)).toBe(401);
    expect(await statusOf(gateway, { ...others, 'x-api-key': 'wrong' }, CHECK)).toBe(403);
    expect(await statusOf(gateway, { ...others, ...withToken('wrong'), ...WITH_KEY }, CHECK)).toBe(401);
  }
});

describe('nothing else works without credentials:', () => {
  const QUERIES = ['', '?optional', '?optional=', '?optional=false', '?optional=TRUE', '?optional=1', '?OPTIONAL=true'];
  const OTHERS = ['?optional=true&optional=true', '?optional[]=true', '?optional.x=true', '?x=optional=true'];
  const PATHS = ['/users', '/users/me', '/agents', '/agents/7', '/agents/7/tasks', '/protected'];

  test('another query', async () => {
    const before = gateway.reached().length;
    for (const query of [...QUERIES, ...OTHERS]) {
      expect([query, await statusOf(gateway, {}, `/session${query}`)]).toEqual([query, 401]);
      expect([query, await statusOf(gateway, withCookie('wrong'), `/session${query}`)]).toEqual([query, 401]);
    }
    expect(gateway.reached()).toHaveLength(before);
  });

  test.each([
    ['with the documents of the services', () => gateway],
    ['before they are known', () => startGateway()],
  ])('another path, %s', async (_when, toGateway) => {
    const from = await toGateway();
    for (const path of PATHS) {
      expect([path, await statusOf(from, {}, `${path}?optional=true`)]).toEqual([path, 401]);
    }
    for (const path of ['/session/x', '/session/', '/SESSION']) {
      expect([401, 404]).toContain(await statusOf(from, {}, `${path}?optional=true`));
    }
  });

  test('another method', async () => {
    for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      expect([method, (await send(gateway, CHECK, { method })).status]).toEqual([method, 401]);
    }
  });
});

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
