import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asUser, type StartedService, startService } from './support/start-service.ts';
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

const NEW_PASSWORD = 'another long password';
const WRONG = { error: 'forbidden', message: 'The current password is wrong' };

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

function change({ headers }: Pick<TestUser, 'headers'>, current_password: string, new_password = NEW_PASSWORD) {
  return service.http.put('/users/me/password').set(headers).send({ current_password, new_password });
}

test('a change ends all sessions and tokens but the one that did it', async () => {
  const user = await createUser(service);
  const others = [await openSession(service, user), await openSession(service, user)];
  const own = await openSession(service, user);
  const before = await lastChange(service);
  const startedMs = Date.now();
  await change({ headers: asUser(user.id, user.email, 'operator', own) }, PASSWORD).expect(204);
  expect(await sessionsOf(service, user.id)).toEqual([own]);
  expect(await readRecord(service, user.id)).toMatchObject({ kept_session: own });
  expect((await readRecord(service, user.id)).tokens_valid_after).toBeGreaterThan(startedMs);
  expect((await changesOf(service, before)).toSorted()).toEqual(
    [`user:${user.id}`, ...others.map((id) => `session:${id}`)].toSorted(),
  );
  await signIn(service, user.email, PASSWORD).expect(401);
  await signIn(service, user.email, NEW_PASSWORD).expect(204);
  const actions = (await auditOf(service, user.id)).map(({ action, outcome }) => `${action} ${outcome}`);
  expect(actions).toContain('user.password_changed success');
});

test('a token without a session ends with its own change of the password', async () => {
  const user = await createUser(service);
  await openSession(service, user);
  await change(user, PASSWORD).expect(204);
  expect(await sessionsOf(service, user.id)).toEqual([]);
  expect(await readRecord(service, user.id)).toMatchObject({ kept_session: null });
});

test.each([
  [{ current_password: PASSWORD }, 'new_password'],
  [{ new_password: NEW_PASSWORD }, 'current_password'],
  [{ current_password: PASSWORD, new_password: 'too short' }, 'new_password'],
  [{ current_password: PASSWORD, new_password: 'x'.repeat(1_000) }, 'new_password'],
  [{ current_password: [PASSWORD], new_password: NEW_PASSWORD }, 'current_password'],
  [{ current_password: PASSWORD, new_password: NEW_PASSWORD, user_id: 'x' }, 'user_id'],
])('refuses the fields %#, and the password stays', async (input, path) => {
  const user = await createUser(service);
  const { body } = await service.http.put('/users/me/password').set(user.headers).send(input).expect(400);
  expect(body.details.fields.map((field: { path: string }) => field.path)).toEqual([path]);
  await signIn(service, user.email).expect(204);
});

test('refuses a wrong current password, reports it, and limits guesses together with those at sign-in', async () => {
  const user = await createUser(service);
  for (let number = 0; number < 5; number++) await signIn(service, user.email, 'a wrong password').expect(401);
  for (let number = 0; number < 5; number++) await change(user, 'a wrong password').expect(403, WRONG);
  const { body, headers } = await change(user, PASSWORD).expect(429);
  expect(body.error).toBe('rate_limited');
  expect(Number(headers['retry-after'])).toBeGreaterThan(890);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
  await signIn(service, user.email).expect(429);
  // Somebody else cannot lock the user out.
  await signIn(service, user.email, PASSWORD, '198.51.100.7').expect(204);
  const failures = (await auditOf(service, user.id)).filter(({ action }) => action === 'user.password_changed');
  expect(failures).toHaveLength(5);
  expect(failures[0]).toMatchObject({ outcome: 'failure', actor: { type: 'user', id: user.id } });
  expect(service.logs).toContainEqual(
    expect.objectContaining({
      msg: 'wrong current password',
      account: user.email,
      address: '192.0.2.1',
      request_id: expect.any(String),
    }),
  );
  expect(JSON.stringify(service.logs)).not.toContain('a wrong password');
});

test('a user without a password has none to change', async () => {
  const user = await createUser(service, 'viewer', { password: undefined });
  await change(user, PASSWORD).expect(403, WRONG);
  await change(user, '').expect(403, WRONG);
});

test('of changes at once, one is made', async () => {
  const user = await createUser(service);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => change(user, PASSWORD, `new password number ${at}`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(403)]);
  const winner = answers.findIndex(({ status }) => status === 204);
  await signIn(service, user.email, `new password number ${winner}`, '198.51.100.8').expect(204);
});

test('no session of a sign-in with the old password survives a change at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await createUser(service);
    const signIns = Array.from({ length: 4 }, (_, at) => signIn(service, user.email, PASSWORD, `203.0.113.${at}`));
    const [changed, ...signedIn] = await Promise.all([change(user, PASSWORD), ...signIns]);
    expect(changed.status).toBe(204);
    for (const { status } of signedIn) expect([204, 401]).toContain(status);
    expect(await sessionsOf(service, user.id)).toEqual([]);
  }
});

test('many sign-ins at once with the right password do not reach the limit of failures', async () => {
  const user = await createUser(service);
  const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(service, user.email)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
});

test('of many wrong passwords at once, no more than the limit are tried', async () => {
  const user = await createUser(service);
  await using other = await startService({ REDIS_PREFIX: service.prefix });
  const replicas = [service, other];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => signIn(replicas[at % 2] as StartedService, user.email, `wrong ${at}`)),
  );
  const tried = answers.filter(({ status }) => status === 401);
  expect(tried).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  expect((await adminOf(service)).id).toBeTruthy();
});
