import { createApiKeyText } from '@agent-fleet/access/api-key-text';
import type { AuditEntry } from '@agent-fleet/access/audit';
import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices, WITH_KEY } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { send, withApiKey, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;
let user: UserRecord;

beforeEach(async () => {
  gateway = await startWithServices({ TRUSTED_PROXIES: '127.0.0.1' });
  ({ identity } = gateway);
  user = await identity.addUser();
  // From here on, the trail is written.
  await until(async () => (await get(withToken(identity.issue(user)))).status === 200);
});

const get = (headers: Record<string, string>, path = '/agents', from = '198.51.100.7', id = 'the-request') =>
  send(gateway, path, { headers: { ...headers, 'x-forwarded-for': from, 'x-request-id': id } });

/** All entries, when there are as many; and none more for a while. */
async function entries(count: number): Promise<AuditEntry[]> {
  const found = await until(() => identity.audit(), { holds: ({ length }) => length >= count });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await identity.audit()).toHaveLength(count);
  return found;
}

const COMMON = { outcome: 'failure', address: '198.51.100.7', request_id: 'the-request' };
const SECRETS = /afk_|eyJ|fleet=/;

describe('the audit trail has an entry for', () => {
  test('a token that was revoked, once in a minute', async () => {
    const token = identity.issue(user, { tokenId: 'a-token' });
    await identity.revoke('token', 'a-token');
    for (let times = 0; times < 5; times++) expect((await get(withToken(token))).status).toBe(401);
    const actor = { type: 'user', id: user.id, name: user.email };
    const [entry] = await entries(1);
    expect(entry).toEqual({ ...COMMON, actor, action: 'token.refused', target: { type: 'token', id: 'a-token' } });
    expect(JSON.stringify(entry)).not.toMatch(SECRETS);
    // Elsewhere, the same is another event.
    await get(withToken(token), '/agents', '198.51.100.8');
    expect(await entries(2)).toMatchObject([{}, { address: '198.51.100.8' }]);
  });

  test('a token of a deleted user, not of the one who has the address now', async () => {
    const token = identity.issue(user, { tokenId: 'a-token' });
    await identity.removeUser(user);
    expect((await get(withToken(token))).status).toBe(401);
    await identity.addUser({ email: user.email });
    expect((await get(withToken(token), '/agents', '198.51.100.8')).status).toBe(401);
    const actor = { type: 'user', id: user.id, name: user.email };
    expect(await entries(2)).toMatchObject([{ actor }, { actor }]);
  });

  test('a key of a disabled user, and a key that was deleted', async () => {
    const { text, record } = await identity.addApiKey({ owner_id: user.id, name: 'of the build' });
    await identity.changeUser(user, { disabled: true });
    const target = { type: 'key', id: record.id };
    for (let times = 0; times < 3; times++) expect((await get(withApiKey(text))).status).toBe(403);
    const refused = { ...COMMON, action: 'key.refused', target };
    const [entry] = await entries(1);
    expect(entry).toEqual({ ...refused, actor: { type: 'key', id: record.id, name: 'of the build' } });
    await identity.removeApiKey(record);
    await get(withApiKey(text), '/agents', '198.51.100.8');
    expect(await entries(2)).toMatchObject([{}, { actor: { type: 'key', id: record.id, name: null } }]);
  });

  test('a cookie of a disabled user', async () => {
    const { cookie, session } = await identity.addSession(user);
    await identity.changeUser(user, { disabled: true });
    for (let times = 0; times < 3; times++) expect((await get({ cookie: `fleet=${cookie}` })).status).toBe(401);
    const actor = { type: 'user', id: user.id, name: user.email };
    const [entry] = await entries(1);
    expect(entry).toEqual({ ...COMMON, actor, action: 'session.refused', target: { type: 'session', id: session.id } });
  });

  test('an operation for which a scope is missing, by its route', async () => {
    const viewer = await identity.addUser({ role: 'viewer' });
    const headers = withToken(identity.issue(viewer));
    for (let times = 0; times < 3; times++) expect((await get(headers, '/users?secret=1')).status).toBe(403);
    const target = { type: 'operation', id: 'GET /users' };
    const actor = { type: 'user', id: viewer.id, name: viewer.email };
    expect(await entries(1)).toEqual([{ ...COMMON, actor, action: 'access.refused', target }]);
    const { text, record } = await identity.addApiKey({ name: 'a reader', scopes: ['agents:read'] });
    expect((await get(withApiKey(text), '/agents/7/tasks')).status).toBe(403);
    expect(await entries(2)).toMatchObject([
      {},
      { actor: { type: 'key', id: record.id, name: 'a reader' }, target: { id: 'GET /agents/{agent_id}/tasks' } },
    ]);
  });
});

test('the audit trail has nothing of credentials that belong to nobody, nor of good ones', async () => {
  const unknown = [
    withToken('a.b.c'),
    withToken(`${identity.issue(user)}x`),
    withApiKey('wrong'),
    withApiKey(createApiKeyText()),
    { cookie: `fleet=${'a'.repeat(43)}` },
    {},
  ] as Record<string, string>[];
  for (const headers of unknown) expect((await get(headers)).status).toBeGreaterThan(400);
  expect((await get(WITH_KEY)).status).toBe(200);
  await entries(0);
});

test('an entry has no text of unbounded length, and is well-formed', async () => {
  const name = `x${'😀'.repeat(300)}`;
  const { text } = await identity.addApiKey({ name, scopes: [] });
  expect((await get(withApiKey(text))).status).toBe(403);
  const [entry] = await entries(1);
  expect(entry?.actor.name?.length).toBeLessThanOrEqual(320);
  expect(entry?.actor.name?.isWellFormed()).toBe(true);
});
