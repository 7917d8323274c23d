import { keysOf } from '@agent-fleet/shared/testing/redis-nodes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type StartedService, startService } from './support/start-service.ts';
import {
  adminOf,
  auditOf,
  changesOf,
  createUser,
  lastChange,
  openSession,
  PASSWORD,
  readRecord,
  sessionsOf,
  signIn,
  type TestUser,
} from './support/users.ts';

const LAST_ADMIN = { error: 'last_admin', message: 'This is the last enabled admin' };

let service: StartedService;
let admin: TestUser;
beforeAll(async () => {
  service = await startService();
  admin = await adminOf(service);
});
afterAll(() => service.close());

const put = (id: string, body: object) => service.http.put(`/users/${id}`).set(admin.headers).send(body);
const remove = (id: string) => service.http.delete(`/users/${id}`).set(admin.headers);

test('changes the role and tells the gateways, and ends no session', async () => {
  const user = await createUser(service, 'viewer');
  const session = await openSession(service, user);
  const before = await lastChange(service);
  const { body, headers } = await put(user.id, { role: 'operator', disabled: false }).expect(200);
  expect(body).toMatchObject({ id: user.id, role: 'operator', disabled: false });
  expect(await changesOf(service, before)).toEqual([`user:${user.id}`]);
  expect(await sessionsOf(service, user.id)).toEqual([session]);
  const read = await service.http.get(`/users/${user.id}`).set(admin.headers).expect(200);
  expect([read.body, read.headers.etag]).toEqual([body, headers.etag]);
  expect((await auditOf(service, user.id)).map(({ action }) => action)).toEqual(['user.created', 'user.changed']);
});

test('writes nothing for a change that changes nothing', async () => {
  const user = await createUser(service, 'viewer');
  const before = await lastChange(service);
  await put(user.id, { role: 'viewer', disabled: false }).expect(200);
  expect(await changesOf(service, before)).toEqual([]);
  expect(await auditOf(service, user.id)).toHaveLength(1);
});

test('disabling ends all sessions, tokens and reset codes, and enabling restores none', async () => {
  const user = await createUser(service);
  const sessions = [await openSession(service, user), await openSession(service, user)];
  const code = (await service.http.post(`/users/${user.id}/password-resets`).set(admin.headers).expect(201)).body.code;
  const before = await lastChange(service);
  const startedMs = Date.now();
  await put(user.id, { role: 'operator', disabled: true }).expect(200);
  expect((await changesOf(service, before)).toSorted()).toEqual(
    [`user:${user.id}`, ...sessions.map((id) => `session:${id}`)].toSorted(),
  );
  expect(await sessionsOf(service, user.id)).toEqual([]);
  expect(await service.redis.exists(...sessions.map(service.keys.revoked))).toBe(2);
  const { tokens_valid_after, kept_session } = await readRecord(service, user.id);
  expect(tokens_valid_after).toBeGreaterThan(startedMs);
  expect(kept_session).toBeNull();
  await signIn(service, user.email).expect(401);
  await put(user.id, { role: 'operator', disabled: false }).expect(200);
  expect(await sessionsOf(service, user.id)).toEqual([]);
  const reset = service.http.put(`/password-resets/${code}`).set(admin.headers);
  await reset.send({ new_password: PASSWORD }).expect(404);
  await signIn(service, user.email).expect(204);
});

test.each([
  [{ role: 'viewer' }, 'disabled'],
  [{ disabled: true }, 'role'],
  [{ role: 'viewer', disabled: 'yes' }, 'disabled'],
  [{ role: 'viewer', disabled: true, email: 'other@example.com' }, 'email'],
  [{ role: 'viewer', disabled: true, tokens_valid_after: 0 }, 'tokens_valid_after'],
])('replaces the whole user: refuses %j', async (input, path) => {
  const { id } = await createUser(service);
  const { body } = await put(id, input).expect(400);
  expect(body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
});

test('changes and deletes a user only as the client knows it', async () => {
  const { id } = await createUser(service, 'viewer');
  const { headers } = await service.http.get(`/users/${id}`).set(admin.headers).expect(200);
  await put(id, { role: 'operator', disabled: false }).expect(200);
  const stale = { ...admin.headers, 'if-match': headers.etag as string };
  const refused = { error: 'precondition_failed', message: 'The record has changed; read it again' };
  await service.http.put(`/users/${id}`).set(stale).send({ role: 'viewer', disabled: false }).expect(412, refused);
  await service.http.delete(`/users/${id}`).set(stale).expect(412, refused);
  await service.http
    .delete(`/users/${id}`)
    .set({ ...admin.headers, 'if-match': '*' })
    .expect(204);
});

test('deletes a user with all sessions, API keys and reset codes', async () => {
  const user = await createUser(service);
  const session = await openSession(service, user);
  const made = await service.http.post('/api-keys').set(user.headers).send({ name: 'ci', role: 'viewer' }).expect(201);
  const rotations = `/api-keys/${made.body.id}/rotations`;
  await service.http.post(rotations).set(user.headers).send({}).expect(201);
  await service.http.post(`/users/${user.id}/password-resets`).set(admin.headers).expect(201);
  const before = await lastChange(service);
  await remove(user.id).expect(204);
  expect((await changesOf(service, before)).toSorted()).toEqual(
    [`user:${user.id}`, `session:${session}`, `key:${made.body.id}`].toSorted(),
  );
  const names = await keysOf(service.redis, `${service.prefix}:*`);
  expect(names.filter((name) => name.includes(user.id) || name.includes(user.email))).toEqual([]);
  expect(names.filter((name) => name.includes(made.body.id) || /:reset:/.test(name))).toEqual([]);
  // The digests of its keys stay for a while, so that it can be told whose key is refused.
  const digests = names.filter((name) => name.includes(':key-hash:'));
  expect(digests).toHaveLength(2);
  for (const digest of digests) {
    expect(await service.redis.get(digest)).toBe(made.body.id);
    expect(await service.redis.pttl(digest)).toBeGreaterThan(29 * 86_400_000);
  }
  expect(await service.redis.exists(service.keys.apiKeys)).toBe(0);
  expect(await service.redis.exists(service.keys.revoked(session))).toBe(1);
  await remove(user.id).expect(404, { detail: 'User not found' });
  await signIn(service, user.email).expect(401);
  expect((await auditOf(service, user.id)).at(-1)).toMatchObject({ action: 'user.deleted' });
  const again = await createUser(service, 'viewer', { email: user.email });
  expect(again.id).not.toBe(user.id);
});

test('a key that is made while its owner is deleted does not stay', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await createUser(service);
    const make = () => service.http.post('/api-keys').set(user.headers).send({ name: 'ci', role: 'viewer' });
    await Promise.all([make(), make(), remove(user.id).expect(204), make(), make()]);
  }
  expect(await keysOf(service.redis, `${service.keys.prefix}key:*`)).toEqual([]);
  expect(await service.redis.exists(service.keys.apiKeys)).toBe(0);
});

test('the last enabled admin cannot be disabled, demoted or deleted', async () => {
  await createUser(service, 'operator');
  const disabled = await createUser(service, 'admin');
  await put(disabled.id, { role: 'admin', disabled: true }).expect(200);
  await put(admin.id, { role: 'admin', disabled: true }).expect(409, LAST_ADMIN);
  await put(admin.id, { role: 'operator', disabled: false }).expect(409, LAST_ADMIN);
  await remove(admin.id).expect(409, LAST_ADMIN);
  await put(admin.id, { role: 'admin', disabled: false }).expect(200);
  await put(disabled.id, { role: 'viewer', disabled: true }).expect(200);
  await remove(disabled.id).expect(204);
});

test('one admin stays when two demote, disable or delete each other at once', async () => {
  for (let round = 0; round < 10; round++) {
    const other = await createUser(service, 'admin');
    const request = (id: string) =>
      round % 3 === 0
        ? remove(id)
        : put(id, round % 3 === 1 ? { role: 'viewer', disabled: false } : { role: 'admin', disabled: true });
    // Either order, so that each of the two wins at times.
    const ids = round % 2 ? [admin.id, other.id] : [other.id, admin.id];
    const answers = await Promise.all(ids.map((id) => request(id)));
    const done = answers.map(({ status }) => status).toSorted();
    expect(done).toEqual([round % 3 === 0 ? 204 : 200, 409]);
    const [left = '', ...others] = await service.redis.smembers(service.keys.admins);
    expect(others).toEqual([]);
    expect(await readRecord(service, left)).toMatchObject({ role: 'admin', disabled: false });
    if (left !== admin.id) admin = { ...other };
  }
});
