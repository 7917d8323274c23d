import { startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createIdentityKeys } from '@agent-fleet/shared/identity/keys';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createIdentityMetrics } from '../../src/metrics/identity-metrics.ts';
import { migrate } from '../../src/migrations/migrate.ts';
import { createCommit } from '../../src/redis/commit.ts';
import { createUserStore } from '../../src/users/user-store.ts';
import { startCutProxy } from './cut-proxy.ts';

const quiet = createLogger('test', 'silent');
const EMAILS = Array.from({ length: 5 }, (_, at) => `user-${at}@example.com`);
/** What each attempt may send more than the one before. */
const BYTES = 65;
const TIMEOUT_MS = 500;

/** Of its own: the keys of others would change how much each attempt sends. */
let server: TestRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, quiet);
  await waitForRedis(redis, 60_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** Migrates by a connection that breaks after so many bytes. Returns whether it broke. */
async function migrateUntilCut(prefix: string, bytes: number): Promise<boolean> {
  await using proxy = await startCutProxy(server.url, bytes);
  // Its timers end soon after the connection.
  const client = connectRedis(proxy.url, quiet, { disconnectTimeout: TIMEOUT_MS });
  const keys = createIdentityKeys(prefix);
  const durable = async () => {};
  const metrics = createIdentityMetrics(new Registry());
  const context = { redis: client, keys, logger: quiet, commit: createCommit(client, keys), durable, metrics };
  try {
    await until(() => client.status === 'ready' || proxy.isCut());
    await migrate(context, createUserStore(context), prefix);
  } catch (error) {
    if (!proxy.isCut()) throw error;
  } finally {
    client.disconnect();
  }
  return proxy.isCut();
}

test('a migration whose connection breaks again and again moves each user once', async () => {
  const prefix = uniquePrefix('interrupted');
  const keys = createIdentityKeys(prefix);
  const record = {
    password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    created_at: '2026-11-20T08:00:00.500Z',
  };
  for (const email of EMAILS) await redis.set(`${prefix}:user:${email}`, JSON.stringify({ email, ...record }));

  const states = new Set<string>();
  for (let bytes = BYTES; await migrateUntilCut(prefix, bytes); bytes += BYTES) {
    const [moved, old] = await Promise.all([redis.zcard(keys.users), redis.keys(`${prefix}:user:*`)]);
    states.add(`${moved} moved, ${old.length} old keys`);
    // At any time, each user is in one form at least.
    for (const email of EMAILS) {
      expect(
        (await redis.exists(`${prefix}:user:${email}`)) + (await redis.exists(keys.userEmail(email))),
      ).toBeGreaterThan(0);
    }
  }
  // It broke while users were moved, and while old keys were deleted.
  expect(states.size).toBeGreaterThan(6);

  expect(await redis.keys(`${prefix}:user:*`)).toEqual([]);
  expect(await redis.get(keys.layout)).toBe('1');
  const ids = await redis.zrange(keys.users, 0, '-1');
  const users = (await redis.mget(ids.map(keys.user))).map((text) => JSON.parse(text ?? 'null'));
  expect(users.map(({ email }) => email).toSorted()).toEqual(EMAILS);
  for (const user of users) expect(user).toMatchObject({ ...record, role: 'admin', disabled: false });
  expect(await redis.keys(`${keys.prefix}user:*`)).toHaveLength(EMAILS.length);
  expect(await redis.scard(keys.admins)).toBe(EMAILS.length);
  expect(await redis.xlen(keys.audit)).toBe(EMAILS.length);
});
