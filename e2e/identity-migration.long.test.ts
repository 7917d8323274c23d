import { createHmac } from 'node:crypto';
import { createIdentityKeys } from '@agent-fleet/shared/identity/keys';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer, type User } from './harness/accounts.ts';
import { Api } from './harness/api.ts';
import { ADMIN, JWT_SECRET } from './harness/local-fleet.ts';
import { withRedis } from './harness/redis.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { expectDetail, expectNoBody, expectUnauthenticated } from './spec/expectations.ts';
import { untilRefused } from './spec/identity/users.ts';

/** Of `correct horse battery staple`, as version 1.0 stored it. */
const OLD_HASH = '$argon2id$v=19$m=19456,t=2,p=1$g7yqh5nEwo8/2PibtQxebg$pWgNMqGOEsTnkJVJQVBcDZMnCFMEgHojjDz5yFqYswE';
const OTHER = 'grace@e2e.example';
const CREATED_AT = '2025-03-04T05:06:07.089Z';
const KEYS =
  'e2e:e2e-key-0123456789abcdef,old/key+of=1.0,workers:worker:worker-key-0123456789,narrow:viewer:viewer-key-0123456789';

const api = new Api();

if (CONTROLS_PROCESSES) describe('A fleet of version 1.0 is upgraded:', specifyMigration);
else {
  logOmittedTests('data of version 1.0');
  test('the data of the running system is its own', () => expect(CONTROLS_PROCESSES).toBe(false));
}

/** Writes what version 1.0 had: users by e-mail address, and nothing else about credentials. */
async function writeOldData(redisUrl: string, redisPrefix: string): Promise<void> {
  await withRedis(redisUrl, async (redis) => {
    for (const email of [ADMIN.email, OTHER]) {
      const user = { email, password_hash: OLD_HASH, created_at: CREATED_AT };
      await redis.set(`${redisPrefix}:user:${email}`, JSON.stringify(user));
    }
  });
}

/** A token as version 1.0 made it: without `jti`, `sid`, `uid` and `scope`. */
function oldToken(email: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { sub: email, iss: 'agent-fleet', aud: 'agent-fleet', iat: now - 600, exp: now + 1_200 };
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
}

function specifyMigration(): void {
  beforeAll(
    () => api.open({ prepare: writeOldData, env: { identity: { API_KEYS: KEYS }, gateway: { API_KEYS: KEYS } } }),
    180_000,
  );
  afterAll(() => api.close(), 180_000);

  const usersOf = async () => (await api.get('/users')).json as User[];

  test('its users sign in with their passwords, as administrators, and keep their creation time', async () => {
    for (const email of [ADMIN.email, OTHER]) {
      const as = await api.accounts.signInAs({ email, password: ADMIN.password });
      expect((await api.call('GET', '/users/me', { as })).json).toMatchObject({
        email,
        role: 'admin',
        disabled: false,
        created_at: CREATED_AT,
      });
    }
    expect((await usersOf()).map(({ email }) => email).sort()).toEqual([ADMIN.email, OTHER]);
  });

  test('its tokens go on working, with all that version 1.0 allowed', async () => {
    const as = bearer(oldToken(OTHER));
    expect((await api.call('GET', '/protected', { as })).json).toEqual({ user: OTHER });
    expect((await api.call('GET', '/agents', { as })).status).toBe(200);
    const body = { name: 'By an old token', type: api.types[0] };
    expect((await api.call('POST', '/agents', { as, body })).status).toBe(201);
    expectUnauthenticated(await api.call('GET', '/protected', { as: bearer(oldToken('nobody@e2e.example')) }));
  });

  test('an old token ends when it is revoked, or its user signs out everywhere', async () => {
    const [revoked, other] = [oldToken(OTHER), bearer(`${oldToken(ADMIN.email)}`)];
    expect((await api.call('GET', '/protected', { as: bearer(revoked) })).status).toBe(200);
    expect((await api.accounts.revoke(revoked)).status).toBe(200);
    await untilRefused(api, bearer(revoked), 401);
    expectUnauthenticated(await api.call('GET', '/protected', { as: bearer(revoked) }));
    expect((await api.call('GET', '/protected', { as: other })).status).toBe(200);
    expectNoBody(await api.call('DELETE', '/session', { as: other }), 204);
    await untilRefused(api, other, 401);
    expectUnauthenticated(await api.call('GET', '/protected', { as: other }));
  });

  test('keys of the environment of any form go on meaning all, and those with a role mean the role', async () => {
    const create = (key: string) => api.call('POST', '/agents', { as: { 'x-api-key': key }, body: {} });
    for (const key of ['e2e-key-0123456789abcdef', 'old/key+of=1.0']) {
      expect((await create(key)).status).toBe(400);
      expect((await api.call('GET', '/users', { as: { 'x-api-key': key } })).status).toBe(200);
    }
    for (const key of ['worker-key-0123456789', 'viewer-key-0123456789']) {
      expect((await create(key)).status).toBe(403);
      expect((await api.call('GET', '/agents', { as: { 'x-api-key': key } })).status).toBe(200);
    }
    expectDetail(await create('workers:worker:worker-key-0123456789'), 403, 'Invalid API key');
    expect((await api.get('/api-keys')).json).toMatchObject([
      { name: 'e2e', source: 'environment' },
      { name: 'key-2', source: 'environment' },
      { name: 'workers', scopes: ['agents:read', 'tasks:read', 'leases:write'] },
      { name: 'narrow', scopes: ['agents:read', 'tasks:read', 'events:read'] },
    ]);
  });

  test('the old records are gone, and a second start changes nothing', async () => {
    const { redisUrl, redisPrefix, services } = api.fleet;
    const before = await usersOf();
    await services.identity.kill();
    await services.identity.start();
    await api.fleet.untilReady();
    expect(await usersOf()).toEqual(before);
    await withRedis(redisUrl, async (redis) => {
      expect(await redis.exists(`${redisPrefix}:user:${OTHER}`)).toBe(0);
      expect(await redis.get(createIdentityKeys(redisPrefix).layout)).toBe('1');
    });
  });
}
