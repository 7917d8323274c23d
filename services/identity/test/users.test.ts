import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startService } from './support/start-service.ts';
import { adminOf, changesOf, createUser, lastChange, openSession, readUser } from './support/users.ts';

const HOUR_MS = 3_600_000;

const service = await startService();
let admin = await adminOf(service);

const put = (id: string, body: object) => service.http.put(`/users/${id}`).set(admin.headers).send(body);
const remove = (id: string) => service.http.delete(`/users/${id}`).set(admin.headers);
const createReset = async (id: string): Promise<string> =>
  (await service.http.post(`/users/${id}/password-resets`).set(admin.headers).expect(201)).body.code;

test('has at most 10,000 users', async () => {
  const full = await startService();
  const { headers } = await adminOf(full);
  const ids = Array.from({ length: 9_999 }, (_, at) => [0, `id-${at}`]).flat();
  await full.redis.zadd(full.keys.users, ...(ids as string[]));
  const input = { email: 'a@b.example', role: 'viewer' };
  const { body } = await full.http.post('/users').set(headers).send(input).expect(403);
  expect(body).toEqual({ error: 'quota_exceeded', message: 'There are 10000 users already' });
  expect(await full.redis.exists(full.keys.userEmail('a@b.example'))).toBe(0);
  // Users who are gone since the list was read are left out.
  expect((await full.http.get('/users').set(headers).expect(200)).headers['x-total-count']).toBe('10000');
});

test('of users with one e-mail address that are created at once, one is', async () => {
  // All look for the address before the first password is hashed.
  const slow = await startService({ PASSWORD_HASH_MEMORY_KIB: '65536', PASSWORD_HASH_PASSES: '4' });
  const { headers } = await adminOf(slow);
  const input = { email: 'b@c.example', role: 'viewer', password: 'correct horse battery staple' };
  const created = Array.from({ length: 5 }, () => slow.http.post('/users').set(headers).send(input));
  const statuses = (await Promise.all(created)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 409, 409, 409, 409]);
});

test('a reset code of 256 bits is stored for an hour, as its digest', async () => {
  const { id } = await createUser(service);
  const code = await createReset(id);
  expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  for (const key of [service.keys.reset(hash('sha256', code)), service.keys.userReset(id)]) {
    const leftMs = await service.redis.pttl(key);
    expect(leftMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
  }
});

test('of reset codes that are made at once, one is valid', async () => {
  const { id } = await createUser(service);
  const codes = await Promise.all(Array.from({ length: 4 }, () => createReset(id)));
  const found = codes.map((code) => service.redis.exists(service.keys.reset(hash('sha256', code))));
  expect((await Promise.all(found)).toSorted()).toEqual([0, 0, 0, 1]);
});

test('deletes a user with all sessions, API keys and reset codes', async () => {
  const user = await createUser(service);
  const session = await openSession(service, user);
  const made = await service.http.post('/api-keys').set(user.headers).send({ name: 'ci', role: 'viewer' }).expect(201);
  const rotations = `/api-keys/${made.body.id}/rotations`;
  await service.http.post(rotations).set(user.headers).send({}).expect(201);
  const code = await createReset(user.id);
  const before = await lastChange(service);
  await remove(user.id).expect(204);
  expect((await changesOf(service, before)).toSorted()).toEqual(
    [`user:${user.id}`, `session:${session}`, `key:${made.body.id}`].toSorted(),
  );
  const names = await service.redis.keys(`${service.prefix}:*`);
  expect(names.filter((name) => name.includes(user.id) || name.includes(user.email))).toEqual([]);
  const gone = [made.body.id, hash('sha256', code)];
  expect(names.filter((name) => gone.some((text) => name.includes(text)))).toEqual([]);
  // The digests of its keys stay for a while, so that it can be told whose key is refused.
  const digests = names.filter((name) => name.includes(':key-hash:'));
  expect(digests).toHaveLength(2);
  for (const digest of digests) {
    expect(await service.redis.get(digest)).toBe(made.body.id);
    expect(await service.redis.pttl(digest)).toBeGreaterThan(29 * 86_400_000);
  }
  expect(await service.redis.exists(service.keys.apiKeys)).toBe(0);
  expect(await service.redis.exists(service.keys.revoked(session))).toBe(1);
});

test('a key that is made while its owner is deleted does not stay', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await createUser(service);
    const make = () => service.http.post('/api-keys').set(user.headers).send({ name: 'ci', role: 'viewer' });
    await Promise.all([make(), make(), remove(user.id).expect(204), make(), make()]);
  }
  expect(await service.redis.keys(`${service.keys.prefix}key:*`)).toEqual([]);
  expect(await service.redis.exists(service.keys.apiKeys)).toBe(0);
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
    expect(await readUser(service, left)).toMatchObject({ role: 'admin', disabled: false });
    if (left !== admin.id) admin = { ...other };
  }
});
