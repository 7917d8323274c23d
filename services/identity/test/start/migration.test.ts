import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { type StartedService, startService } from '../support/start-service.ts';
import { signIn } from '../support/users.ts';

const CREATED = '2026-11-20T08:00:00.500Z';
const PASSWORDS: Record<string, string> = {
  'first@example.com': 'the first password of all',
  // Shorter than today's rule: it goes on working.
  'zoë@example.com': 'short',
};

let redis: RedisClient;
let prefix: string;
const running: StartedService[] = [];

beforeAll(async () => {
  redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
  await waitForRedis(redis, 60_000);
});
afterAll(() => redis.disconnect());
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

/** The users as version 1.0 wrote them: one string for each, with argon2id hashes of its cost. */
beforeEach(async () => {
  prefix = uniquePrefix('migration');
  for (const [email, password] of Object.entries(PASSWORDS)) {
    const password_hash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    await redis.set(`${prefix}:user:${email}`, JSON.stringify({ email, password_hash, created_at: CREATED }));
  }
});

const oldKeys = async () => (await redis.keys(`${prefix}:user:*`)).sort();

async function start(env: NodeJS.ProcessEnv = {}): Promise<StartedService> {
  const service = await startService({ REDIS_PREFIX: prefix, ADMIN_EMAIL: '', ADMIN_PASSWORD: '', ...env });
  running.push(service);
  return service;
}

async function usersOf({ keys }: StartedService) {
  const ids = await redis.zrange(keys.users, 0, '-1');
  return (await Promise.all(ids.map((id) => redis.get(keys.user(id))))).map((text) => JSON.parse(text ?? 'null'));
}

test('users of version 1.0 become admins, keep their passwords and dates, and leave no old key', async () => {
  const service = await start();
  const users = await usersOf(service);
  expect(users.map(({ email, role, disabled, created_at }) => ({ email, role, disabled, created_at }))).toEqual(
    expect.arrayContaining(
      Object.keys(PASSWORDS).map((email) => ({ email, role: 'admin', disabled: false, created_at: CREATED })),
    ),
  );
  expect(users).toHaveLength(2);
  expect(await redis.scard(service.keys.admins)).toBe(2);
  expect(await oldKeys()).toEqual([]);
  for (const [email, password] of Object.entries(PASSWORDS)) await signIn(service, email, password).expect(204);
  expect(await redis.get(service.keys.layout)).toBe('1');
});

test('tokens made before the migration stay valid', async () => {
  const users = await usersOf(await start());
  // Compared with the `iat` of a token, which is in whole seconds.
  expect(users.map(({ tokens_valid_after }) => tokens_valid_after)).toEqual([0, 0]);
});

test('replicas that start together move each user once', async () => {
  const services = await Promise.all([start(), start(), start()]);
  expect(await usersOf(services[0] as StartedService)).toHaveLength(2);
  expect(await redis.zcard((services[0] as StartedService).keys.users)).toBe(2);
  const created = (await redis.xrange((services[0] as StartedService).keys.audit, '-', '+')).filter(([, [, entry]]) =>
    entry?.includes('"user.created"'),
  );
  expect(created).toHaveLength(2);
});

test('a migration that ended in the middle is completed by the next start', async () => {
  const first = await start();
  const [moved] = await usersOf(first);
  // As after a crash: one user is moved, its old key and the layout are not written yet.
  const { keys } = first;
  const other = (await usersOf(first))[1];
  await redis.del(keys.layout, keys.user(other.id), keys.userEmail(other.email));
  await redis.zrem(keys.users, other.id);
  await redis.srem(keys.admins, other.id);
  for (const { email, password_hash } of [moved, other]) {
    await redis.set(`${prefix}:user:${email}`, JSON.stringify({ email, password_hash, created_at: CREATED }));
  }
  const next = await start();
  const users = await usersOf(next);
  expect(users.map(({ email }) => email).sort()).toEqual(Object.keys(PASSWORDS).sort());
  expect(users.map(({ id }) => id)).toContain(moved.id);
  expect(await oldKeys()).toEqual([]);
});

test('a user that was deleted after the migration does not come back from an old key', async () => {
  const { keys } = await start();
  const id = (await redis.get(keys.userEmail('first@example.com'))) as string;
  await redis.del(keys.user(id), keys.userEmail('first@example.com'));
  await redis.zrem(keys.users, id);
  await redis.set(
    `${prefix}:user:first@example.com`,
    JSON.stringify({ email: 'first@example.com', password_hash: 'x', created_at: CREATED }),
  );
  const service = await start();
  expect((await usersOf(service)).map(({ email }) => email)).toEqual(['zoë@example.com']);
});

test('the user of ADMIN_EMAIL that version 1.0 made is not made again', async () => {
  const env = { ADMIN_EMAIL: 'First@Example.com', ADMIN_PASSWORD: 'the first password of all' };
  const service = await start(env);
  expect(await usersOf(service)).toHaveLength(2);
  await signIn(service, 'first@example.com', env.ADMIN_PASSWORD).expect(204);
});

test('an old key that is no user stays, and is reported', async () => {
  await redis.set(`${prefix}:user:broken@example.com`, 'not JSON');
  const service = await start();
  expect(await oldKeys()).toEqual([`${prefix}:user:broken@example.com`]);
  expect(service.logs.map(({ msg }) => msg)).toContain('this key of version 1.0 is no valid user; it stays');
});

test('data of a later version are refused', async () => {
  const service = await start();
  await redis.set(service.keys.layout, '2');
  await expect(start()).rejects.toThrow(/has layout 2 .*knows layouts up to 1/);
});
