import { hash } from 'node:crypto';
import { keysOf } from '@agent-fleet/shared/testing/redis-nodes';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asNobody, type StartedService, startService } from './support/start-service.ts';
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

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = 'another long password';
const NOT_FOUND = { detail: 'Reset code not found' };

let service: StartedService;
let admin: TestUser;
beforeAll(async () => {
  service = await startService();
  admin = await adminOf(service);
});
afterAll(() => service.close());

async function createCode(userId: string): Promise<string> {
  const { body } = await service.http.post(`/users/${userId}/password-resets`).set(admin.headers).expect(201);
  return body.code;
}

function use(code: string, new_password: unknown = NEW_PASSWORD) {
  return service.http.put(`/password-resets/${code}`).set(asNobody()).send({ new_password });
}

const digestOf = (code: string) => hash('sha256', code);

test('a code of 256 bits is valid for an hour, and stored as its digest', async () => {
  const { id } = await createUser(service);
  const startedMs = Date.now();
  const { body } = await service.http.post(`/users/${id}/password-resets`).set(admin.headers).expect(201);
  expect(Object.keys(body)).toEqual(['code', 'expires_at']);
  expect(Buffer.from(body.code, 'base64url')).toHaveLength(32);
  expect(Date.parse(body.expires_at) - startedMs).toBeGreaterThan(HOUR_MS - 5_000);
  expect(Date.parse(body.expires_at) - startedMs).toBeLessThan(HOUR_MS + 60_000);
  expect(await service.redis.pttl(service.keys.reset(digestOf(body.code)))).toBeGreaterThan(HOUR_MS - 60_000);
  expect(await service.redis.pttl(service.keys.userReset(id))).toBeLessThanOrEqual(HOUR_MS);
});

test('a user without a password signs in once a code was used', async () => {
  const { id, email } = await createUser(service, 'viewer', { password: undefined });
  await signIn(service, email, '').expect(401);
  await signIn(service, email).expect(401);
  await use(await createCode(id)).expect(204);
  await signIn(service, email, NEW_PASSWORD).expect(204);
});

test('sets the password once, ends all sessions and tokens, and acts as the user', async () => {
  const user = await createUser(service);
  const session = await openSession(service, user);
  const code = await createCode(user.id);
  const before = await lastChange(service);
  const startedMs = Date.now();
  await use(code).expect(204);
  expect(await sessionsOf(service, user.id)).toEqual([]);
  expect((await changesOf(service, before)).toSorted()).toEqual([`session:${session}`, `user:${user.id}`].toSorted());
  expect((await readRecord(service, user.id)).tokens_valid_after).toBeGreaterThan(startedMs);
  await use(code, 'a third long password').expect(404, NOT_FOUND);
  await signIn(service, user.email, PASSWORD).expect(401);
  await signIn(service, user.email, NEW_PASSWORD).expect(204);
  const entries = await auditOf(service, user.id);
  expect(entries.find(({ action }) => action === 'user.password_reset')).toMatchObject({
    actor: { type: 'user', id: user.id, name: user.email },
    address: '192.0.2.1',
  });
  expect(entries.find(({ action }) => action === 'user.password_reset_created')).toMatchObject({
    actor: { type: 'user', id: admin.id },
  });
});

test('a new code voids the one before, and so does a change of the password', async () => {
  const user = await createUser(service);
  const [first, second] = [await createCode(user.id), await createCode(user.id)];
  await use(first).expect(404, NOT_FOUND);
  const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  await service.http.put('/users/me/password').set(user.headers).send(change).expect(204);
  await use(second).expect(404, NOT_FOUND);
});

test('of codes that are made at once, one is valid', async () => {
  const { id } = await createUser(service);
  const codes = await Promise.all(Array.from({ length: 4 }, () => createCode(id)));
  const found = await Promise.all(codes.map((code) => service.redis.exists(service.keys.reset(digestOf(code)))));
  expect(found.toSorted()).toEqual([0, 0, 0, 1]);
});

test('a code that has expired, or is of a user who was deleted, is unknown', async () => {
  const user = await createUser(service);
  const expired = await createCode(user.id);
  await service.redis.del(service.keys.reset(digestOf(expired)), service.keys.userReset(user.id));
  await use(expired).expect(404, NOT_FOUND);
  const code = await createCode(user.id);
  await service.http.delete(`/users/${user.id}`).set(admin.headers).expect(204);
  await use(code).expect(404, NOT_FOUND);
});

test('a password that is refused leaves the code valid', async () => {
  const { id, email } = await createUser(service, 'viewer', { email: 'reset.long.name@example.com' });
  const code = await createCode(id);
  for (const refused of ['too short', email, 'x'.repeat(15), 'qwertyuiopasdfgh', 7, null]) {
    const { body } = await use(code, refused).expect(400);
    expect(body.details.fields[0].path).toBe('new_password');
  }
  await use(code).expect(204);
});

test('of uses of one code at once, one succeeds', async () => {
  const { id, email } = await createUser(service);
  const code = await createCode(id);
  const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => use(code, `new password number ${at}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(5).fill(404)]);
  const winner = answers.findIndex(({ status }) => status === 204);
  await signIn(service, email, `new password number ${winner}`).expect(204);
});

test.each(['x', 'A'.repeat(43), 'A'.repeat(44), '%00', '%E0%A4%A', '..%2f..', 'x'.repeat(5_000)])(
  'does not know the code %.44s, also for a request that is invalid',
  async (code) => {
    await use(code).expect(404, NOT_FOUND);
    await use(code, 7).expect(404, NOT_FOUND);
  },
);

test('lets the user sign in after too many failures', async () => {
  const user = await createUser(service);
  for (let number = 0; number < 10; number++) await signIn(service, user.email, 'a wrong password').expect(401);
  await signIn(service, user.email).expect(429);
  await use(await createCode(user.id)).expect(204);
  await signIn(service, user.email, NEW_PASSWORD).expect(204);
});

test('neither codes nor passwords are in Redis or in logs, also when a request fails', async () => {
  await using broken = await startService();
  const { headers } = await adminOf(broken);
  const user = await createUser(broken);
  const path = `/users/${user.id}/password-resets`;
  const { code } = (await broken.http.post(path).set(headers).expect(201)).body;
  const send = () => broken.http.put(`/password-resets/${code}`).set(asNobody()).send({ new_password: NEW_PASSWORD });
  const { redis, keys } = broken;
  // The script fails at the number of the change, after the record with its hash.
  await redis.rename(keys.change, `${keys.prefix}kept`);
  await redis.lpush(keys.change, 'no number');
  await send().expect(500);
  await redis.rename(`${keys.prefix}kept`, keys.change);
  // A read fails.
  const resetKey = keys.reset(digestOf(code));
  await redis.del(resetKey);
  await redis.lpush(resetKey, 'no text');
  await send().expect(500);
  const lines = broken.logs.filter(({ msg }) => msg === 'request failed');
  expect(lines).toMatchObject([{ route: '/password-resets/{code}' }, { route: '/password-resets/{code}' }]);
  const names = await keysOf(redis, `${broken.prefix}:*`);
  const dumps = await Promise.all(
    names.map(async (name) => `${name} ${(await redis.dumpBuffer(name))?.toString('latin1')}`),
  );
  for (const secret of [code, PASSWORD, NEW_PASSWORD]) {
    expect(JSON.stringify(broken.logs)).not.toContain(secret);
    expect(dumps.join('\n')).not.toContain(secret);
  }
  expect(JSON.stringify(broken.logs)).not.toContain('argon2id');
});
