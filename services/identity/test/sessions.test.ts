import { hash } from 'node:crypto';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, expect, test } from '@jest/globals';
import { asNobody, startService } from './support/start-service.ts';
import {
  claimsOf,
  createUser,
  getTokens,
  inSession,
  readAudit,
  readSession,
  refresh,
  type TestUser,
} from './support/users.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = await startService();
let account: TestUser;
beforeEach(async () => {
  account = await createUser(service);
});

const isRevoked = async (id: string) => (await service.redis.exists(service.keys.revoked(id))) === 1;

/** Signs a browser in, and returns the digest of its cookie and the id of its session. */
async function signInBrowser() {
  const { email: username, password } = account;
  const { headers } = await service.http.post('/session').set(asNobody()).send({ username, password }).expect(204);
  const secret = /=([\w-]{43});/.exec(String(headers['set-cookie']))?.[1] as string;
  const digest = hash('sha256', secret);
  return { digest, id: (await service.redis.get(service.keys.sessionHash(digest))) as string };
}

const startFamily = async () => claimsOf(await getTokens(service, account)).sid;
const list = async (): Promise<{ id: string; created_at: string; last_used_at: string }[]> =>
  (await service.http.get('/sessions').set(account.headers).expect(200)).body;

test('a session of a browser is kept for 7 days by a digest of its cookie, and nothing of it when it has ended', async () => {
  const { id, digest } = await signInBrowser();
  const { redis, keys, http } = service;
  const names = [keys.session(id), keys.sessionHash(digest)];
  for (const name of names) {
    const leftMs = await redis.pttl(name);
    expect(leftMs).toBeGreaterThan(7 * DAY_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(7 * DAY_MS + 1_000);
  }
  expect(await readSession(service, id)).toMatchObject({ user_id: account.id, hash: digest });
  await http.delete('/session').set(inSession(account, id)).expect(204);
  expect(await redis.exists(...names, keys.used(id))).toBe(0);
  expect(await redis.zcard(keys.userSessions(account.id))).toBe(0);
  expect(await isRevoked(id)).toBe(true);
});

test('a request does not read or end the session of another user', async () => {
  const { id } = await signInBrowser();
  const other = inSession(await createUser(service), id);
  expect((await service.http.get('/session').set(other).expect(200)).body.expires_at).toBeNull();
  await service.http.delete('/session').set(other).expect(204);
  expect(await readSession(service, id)).toBeDefined();
});

test('GET /session has the name of a caller of an external issuer, who has no role', async () => {
  const headers = {
    ...asNobody(),
    'x-fleet-principal': 'oidc:corp:42',
    'x-fleet-actor-id': 'x',
    'x-fleet-actor-name': 'zoe@example.com',
    'x-fleet-scopes': 'agents:read',
  };
  const { body } = await service.http.get('/session').set(headers).expect(200);
  expect(body).toEqual({ user: 'zoe@example.com', role: null, scopes: ['agents:read'], expires_at: null });
  await service.http.delete('/session').set(headers).expect(204);
});

test('GET /session is 401 for a user who was deleted a moment ago', async () => {
  const gone = inSession({ ...account, id: '01997e6b-11c0-7d3e-9a57-8c4f2e6b0d18' }, undefined);
  await service.http.get('/session').set(gone).expect(401, { detail: 'Could not validate credentials' });
});

test('a session has the last use that a gateway has seen', async () => {
  const tokens = await getTokens(service, account);
  const { body } = await refresh(service, tokens.refresh_token).expect(200);
  const usedAt = Math.floor(claimsOf(body).auth_time_ms) + 5_000;
  await service.redis.set(service.keys.used(claimsOf(tokens).sid), usedAt);
  expect((await list())[0]?.last_used_at).toBe(new Date(usedAt).toISOString());
});

test('a session of a browser is not listed after 12 hours without a request', async () => {
  const [refreshId, { id }] = [await startFamily(), await signInBrowser()];
  const used = service.keys.used(id);
  const leftMs = await service.redis.pttl(used);
  expect(leftMs).toBeGreaterThan(12 * HOUR_MS - 60_000);
  expect(leftMs).toBeLessThanOrEqual(12 * HOUR_MS);
  expect(await list()).toMatchObject([{ id: refreshId }, { id }]);
  await service.redis.pexpire(used, 1);
  await until(async () => (await service.redis.exists(used)) === 0);
  expect(await list()).toMatchObject([{ id: refreshId }]);
});

test('sessions from before a change of the password are not listed', async () => {
  const [kept_session] = [await startFamily(), await signInBrowser()];
  const key = service.keys.user(account.id);
  const user = JSON.parse((await service.redis.get(key)) as string);
  await service.redis.set(key, JSON.stringify({ ...user, tokens_valid_after: Date.now() + 60_000, kept_session }));
  expect(await list()).toMatchObject([{ id: kept_session }]);
});

test('of many requests to end a session at once, one does', async () => {
  const id = await startFamily();
  const end = () => service.http.delete(`/sessions/${id}`).set(account.headers);
  const statuses = (await Promise.all(Array.from({ length: 10 }, end))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([204, ...Array(9).fill(404)]);
  const ended = (await readAudit(service, 'session.ended')).filter(({ target }) => target?.id === id);
  expect(ended).toHaveLength(1);
});

test('a user has at most 100 sessions: the oldest ends', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 102; count++) ids.push(await startFamily());
  expect(await service.redis.zcard(service.keys.userSessions(account.id))).toBe(100);
  for (const [at, id] of ids.entries()) {
    expect((await readSession(service, id)) === undefined).toBe(at < 2);
    expect(await isRevoked(id)).toBe(at < 2);
  }
  const ended = (await readAudit(service, 'session.ended')).filter(({ actor }) => actor.id === account.id);
  expect(ended.map(({ target }) => target?.id)).toEqual(ids.slice(0, 2));
});
