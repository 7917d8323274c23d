import type { UserRecord } from '@agent-fleet/shared/identity/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, SECRET, startGateway, startWithServices } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { send, statusOf, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;
let user: UserRecord;

beforeAll(async () => {
  gateway = await startWithServices();
  ({ identity } = gateway);
});
beforeEach(async () => {
  user = await identity.addUser();
});

const REFUSED = { status: 401, body: { detail: 'Could not validate credentials' } };
const check = (token: string) => send(gateway, '/protected', { headers: withToken(token) });
/** The status now and, because changes are followed, a little later. */
async function untilRefused(token: string): Promise<void> {
  const response = await until(() => check(token), { holds: ({ status }) => status !== 200 });
  expect(response).toMatchObject(REFUSED);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
}

test('a token of a user is good, and is so again from the cache', async () => {
  const token = identity.issue(user);
  for (let times = 0; times < 3; times++) {
    expect(await check(token)).toMatchObject({ status: 200, body: { user: user.email } });
  }
});

test('a token of version 1.0 is good, and has the rights of the role', async () => {
  const viewer = await identity.addUser({ role: 'viewer' });
  const token = identity.issueOld(viewer);
  expect(await check(token)).toMatchObject({ status: 200, body: { user: viewer.email } });
  expect(await statusOf(gateway, withToken(token))).toBe(200);
  const { headers = {} } = gateway.reached().at(-1) ?? {};
  expect(headers['x-fleet-scopes']).toBe('agents:read tasks:read events:read');
  // The token itself is its session.
  expect(headers['x-fleet-session']).toMatch(/^[\w-]{43}$/);
});

test('the e-mail address of a token may be written in another way', async () => {
  expect((await check(identity.issue({ ...user, email: ` ${user.email.toUpperCase()} ` }))).status).toBe(200);
  expect(await check(identity.issue({ ...user, email: 'nobody' }))).toMatchObject(REFUSED);
});

describe('is refused: a token', () => {
  test('of an unknown user', async () => {
    expect(await check(identity.issue({ ...user, email: 'nobody@example.com' }))).toMatchObject(REFUSED);
  });

  test('of another user with the same e-mail address', async () => {
    expect(await check(identity.issue(user, { userId: crypto.randomUUID() }))).toMatchObject(REFUSED);
    expect((await check(identity.issue(user))).status).toBe(200);
  });

  test('of a disabled user, until it is enabled', async () => {
    const token = identity.issue(user);
    expect((await check(token)).status).toBe(200);
    const disabled = await identity.changeUser(user, { disabled: true });
    await untilRefused(token);
    await identity.changeUser(disabled, { disabled: false });
    expect((await check(token)).status).toBe(200);
  });

  test('of a deleted user, and of one who was made again', async () => {
    const tokens = [identity.issue(user), identity.issue(user, { sessionId: 'another' })];
    const old = identity.issueOld(user);
    for (const token of [...tokens, old]) expect((await check(token)).status).toBe(200);
    await identity.removeUser(user);
    for (const token of [...tokens, old]) await untilRefused(token);
    const again = await identity.addUser({ email: user.email });
    for (const token of tokens) expect(await check(token)).toMatchObject(REFUSED);
    expect((await check(identity.issue(again))).status).toBe(200);
    // One of version 1.0 does not name its user.
    await identity.changeUser(again, { tokens_valid_after: Date.now() });
    await untilRefused(old);
  });

  test('whose session was revoked, but not one of another session', async () => {
    const [token, sibling] = [1, 2].map(() => identity.issue(user, { sessionId: `s-${user.id}` })) as [string, string];
    const other = identity.issue(user);
    for (const one of [token, sibling, other]) expect((await check(one)).status).toBe(200);
    await identity.revoke('session', `s-${user.id}`);
    await untilRefused(token);
    await untilRefused(sibling);
    expect((await check(other)).status).toBe(200);
    expect(await check(identity.issue(user, { sessionId: `s-${user.id}` }))).toMatchObject(REFUSED);
  });

  test('that was revoked itself, but not another one of its session', async () => {
    const sessionId = `s-${user.id}`;
    const token = identity.issue(user, { sessionId, tokenId: `t-${user.id}` });
    const sibling = identity.issue(user, { sessionId });
    for (const one of [token, sibling]) expect((await check(one)).status).toBe(200);
    await identity.revoke('token', `t-${user.id}`);
    await untilRefused(token);
    expect((await check(sibling)).status).toBe(200);
  });

  test('of version 1.0 that was revoked', async () => {
    const token = identity.issueOld(user);
    expect(await statusOf(gateway, withToken(token))).toBe(200);
    const tokenId = String(gateway.reached().at(-1)?.headers['x-fleet-session']);
    await identity.revoke('token', tokenId);
    await untilRefused(token);
  });

  test('of another fleet', async () => {
    const other = await startGateway({ JWT_SECRET: `${SECRET} of another fleet`, REDIS_PREFIX: gateway.prefix });
    expect(await check(other.identity.issue(user))).toMatchObject(REFUSED);
  });
});

describe('after a user has signed out everywhere', () => {
  const at = Date.now() - 60_000;
  const issue = (authTimeMs: number, rest = {}) => identity.issue(user, { authTimeMs, ...rest });
  const signOut = (kept: string | null = null) =>
    identity.changeUser(user, { tokens_valid_after: at, kept_session: kept });

  test.each([
    ['a second before', at - 1_000, 401],
    ['a fraction of a millisecond before', at - 0.001, 401],
    ['at the same time', at, 200],
    ['after it', at + 0.001, 200],
  ])('a token from %s', async (_when, authTimeMs, status) => {
    const token = issue(authTimeMs);
    expect((await check(token)).status).toBe(200);
    await signOut();
    await until(async () => (await check(issue(0))).status === 401);
    expect((await check(token)).status).toBe(status);
  });

  test('the session that did it stays, with all of its tokens', async () => {
    const [kept, sibling] = [1, 2].map(() => issue(at - 1_000, { sessionId: 'kept' })) as [string, string];
    const other = issue(at - 1_000);
    for (const token of [kept, sibling, other]) expect((await check(token)).status).toBe(200);
    await signOut('kept');
    await untilRefused(other);
    for (const token of [kept, sibling]) expect((await check(token)).status).toBe(200);
    // Nobody else has a session of that name.
    const another = await identity.addUser({ tokens_valid_after: at });
    expect(await check(identity.issue(another, { authTimeMs: 0, sessionId: 'kept' }))).toMatchObject(REFUSED);
  });

  test('a token of version 1.0 counts by its iat, unless it did it itself', async () => {
    const iat = Math.floor(at / 1_000);
    const [before, after] = [identity.issueOld(user, { iat: iat - 1 }), identity.issueOld(user, { iat: iat + 1 })];
    expect(await statusOf(gateway, withToken(before))).toBe(200);
    const tokenId = String(gateway.reached().at(-1)?.headers['x-fleet-session']);
    expect((await check(after)).status).toBe(200);
    await signOut();
    await untilRefused(before);
    expect((await check(after)).status).toBe(200);
    await signOut(tokenId);
    await until(async () => (await check(before)).status === 200);
  });
});

test('a role that shrinks takes effect, and never gives more than the token has', async () => {
  const token = identity.issue(user);
  const narrow = identity.issue(user, { scopes: ['tasks:read'] });
  expect(await statusOf(gateway, withToken(token), '/users')).toBe(200);
  const viewer = await identity.changeUser(user, { role: 'viewer' });
  await until(async () => (await statusOf(gateway, withToken(token), '/users')) === 403);
  expect(await statusOf(gateway, withToken(token))).toBe(200);
  await identity.changeUser(viewer, { role: 'admin' });
  await until(async () => (await statusOf(gateway, withToken(token), '/users')) === 200);
  expect(await statusOf(gateway, withToken(narrow), '/users')).toBe(403);
  expect(await statusOf(gateway, withToken(narrow), '/agents/7/tasks')).toBe(200);
  // A token that names no scope at all.
  expect(await statusOf(gateway, withToken(identity.issue(user, { scopes: [] })))).toBe(403);
});

test('a token whose lifetime ends is refused, although it was verified before', async () => {
  const brief = await startWithServices({ ACCESS_TOKEN_TTL_SECONDS: '1', REDIS_PREFIX: gateway.prefix });
  let token = '';
  const isAccepted = async () => {
    // Issued 30 s ago: within the leeway, which ends in a second. It may end before a busy machine has verified it.
    token = brief.identity.issueOld(user, { iat: Math.floor(Date.now() / 1_000) - 29 });
    return (await statusOf(brief, withToken(token))) === 200;
  };
  await until(isAccepted);
  await until(async () => (await statusOf(brief, withToken(token))) === 401);
});

test('until the data of version 1.0 was migrated, an unknown user is 503, not 401', async () => {
  const fresh = await startWithServices();
  const token = fresh.identity.issueOld({ email: 'a@b.example' });
  const response = await until(() => send(fresh, '/agents', { headers: withToken(token) }), {
    holds: ({ body }) => String(body.message).startsWith('Users are being migrated'),
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  await fresh.identity.addUser({ email: 'a@b.example' });
  expect(await statusOf(fresh, withToken(token))).toBe(200);
  expect(await statusOf(fresh, withToken(fresh.identity.issueOld({ email: 'b@b.example' })))).toBe(401);
});

test('a token must be sent once, and as a bearer token', async () => {
  const token = identity.issue(user);
  for (const authorization of [`Basic ${token}`, token, `Bearer ${token} x`, 'Bearer', `Bearer ${'a'.repeat(8_193)}`]) {
    expect(await statusOf(gateway, { authorization })).toBe(401);
  }
  for (const authorization of [`bearer ${token}`, `BEARER  ${token}`]) {
    expect(await statusOf(gateway, { authorization })).toBe(200);
  }
});
