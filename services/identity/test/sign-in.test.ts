import { expect, test } from '@jest/globals';
import { hash as argon2 } from '@node-rs/argon2';
import { type StartedService, startService } from './support/start-service.ts';
import { createUser, openSession, PASSWORD, readUser, sessionsOf, signIn, type TestUser } from './support/users.ts';

const NEW_PASSWORD = 'another long password';
const WRONG = { error: 'forbidden', message: 'The current password is wrong' };

const service = await startService();

function change({ headers }: Pick<TestUser, 'headers'>, current_password: string, new_password = NEW_PASSWORD) {
  return service.http.put('/users/me/password').set(headers).send({ current_password, new_password });
}

test('a hash of another cost is replaced at the next sign-in', async () => {
  const { id, email } = await createUser(service);
  const password_hash = await argon2(PASSWORD, { memoryCost: 9_000, timeCost: 1, parallelism: 1 });
  const user = await readUser(service, id);
  await service.redis.set(service.keys.user(id), JSON.stringify({ ...user, password_hash }));
  await signIn(service, email, 'a wrong password').expect(401);
  expect((await readUser(service, id)).password_hash).toBe(password_hash);
  await signIn(service, email).expect(204);
  expect((await readUser(service, id)).password_hash).toMatch(/^\$argon2id\$v=19\$m=8192,t=1,p=1\$/);
  await signIn(service, email).expect(204);
});

test('wrong passwords are in the log, with the account and the address', async () => {
  const user = await createUser(service);
  await signIn(service, user.email, 'a wrong password').expect(401);
  await change(user, 'a wrong password').expect(403, WRONG);
  const line = { account: user.email, address: '192.0.2.1', request_id: expect.any(String) };
  for (const msg of ['sign-in failed', 'wrong current password']) {
    expect(service.logs).toContainEqual(expect.objectContaining({ msg, ...line }));
  }
});

test('a token without a session ends with its own change of the password', async () => {
  const user = await createUser(service);
  await openSession(service, user);
  await change(user, PASSWORD).expect(204);
  expect(await sessionsOf(service, user.id)).toEqual([]);
  expect(await readUser(service, user.id)).toMatchObject({ kept_session: null });
});

test('a user without a password has none to change', async () => {
  const user = await createUser(service, 'viewer', { password: undefined });
  await change(user, PASSWORD).expect(403, WRONG);
  await change(user, '').expect(403, WRONG);
});

test('of changes of a password at once, one is made', async () => {
  const user = await createUser(service);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => change(user, PASSWORD, `new password number ${at}`)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(403)]);
  const winner = answers.findIndex(({ status }) => status === 204);
  await signIn(service, user.email, `new password number ${winner}`, '198.51.100.8').expect(204);
});

test('of many wrong passwords at once at two replicas, no more than the limit are tried', async () => {
  const user = await createUser(service);
  const other = await startService({ REDIS_PREFIX: service.prefix });
  const replicas = [service, other];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => signIn(replicas[at % 2] as StartedService, user.email, `wrong ${at}`)),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});
