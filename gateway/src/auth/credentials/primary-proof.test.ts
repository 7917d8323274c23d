import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { startTestSentinel } from '@agent-fleet/scripts/testing/test-sentinel';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { provePrimary } from './primary-proof.ts';

const quiet = createLogger('test', 'silent');
beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'nextTick', 'Date'],
  });
});
afterEach(() => void jest.useRealTimers());

type Primary = ReturnType<typeof provePrimary>;

const isProven = ({ proof }: Primary) => performance.now() < proof.untilMs;

/** Lets 30 s pass, and another attempt or two to prove it. */
async function expectNoTrust(primary: Primary): Promise<void> {
  jest.advanceTimersByTime(30_000);
  await sleep(2_500);
  expect(isProven(primary)).toBe(false);
}

test('Redis is trusted while its replicas have the writes, and for 30 s after that', async () => {
  const password = 'x'.repeat(32);
  const args = ['--repl-diskless-sync-delay', '0'];
  const [master, replica] = await Promise.all([1, 2].map(() => startTestRedis({ password, args })));
  if (!master || !replica) throw new Error('There is no Redis');
  await withConnections([replica], async ([redis]) => void (await redis?.replicaof('127.0.0.1', master.port)));
  const primary = provePrimary({ url: master.url, prefix: 'test', minReplicas: 1 }, [], quiet);
  try {
    expect(isProven(primary)).toBe(true);
    jest.advanceTimersByTime(30_000);
    expect(isProven(primary)).toBe(false);
    await until(() => isProven(primary), { message: 'Redis is trusted' });
    await replica.kill();
    jest.advanceTimersByTime(29_999);
    expect(isProven(primary)).toBe(true);
    await expectNoTrust(primary);
  } finally {
    primary.close();
    await Promise.all([master, replica].map((server) => server.close()));
  }
});

test('while replicas are lost, Redis is trusted as long as most of the sentinels name it', async () => {
  const redis = await startTestSentinel({ replicas: 1 });
  const [, replica, ...sentinels] = redis.servers;
  const reader = connectRedis(redis.url, quiet);
  const primary = provePrimary({ url: redis.url, prefix: 'test', minReplicas: 1 }, [reader], quiet);
  try {
    await replica?.kill();
    jest.advanceTimersByTime(30_000);
    await until(() => isProven(primary), { message: 'Redis is trusted' });
    await Promise.all(sentinels.slice(1).map((sentinel) => sentinel.kill()));
    await sleep(2_500);
    await expectNoTrust(primary);
  } finally {
    primary.close();
    reader.disconnect();
    await redis.close();
  }
});

test('a connection to another master is not trusted, and asks the sentinels again', async () => {
  const [present, former] = await Promise.all([1, 1].map((replicas) => startTestSentinel({ replicas })));
  if (!present || !former) throw new Error('There is no Redis');
  const reader = connectRedis(former.url, quiet);
  const reconnected = once(reader, 'reconnecting');
  const primary = provePrimary({ url: present.url, prefix: 'test', minReplicas: 1 }, [reader], quiet);
  try {
    await reconnected;
    await expectNoTrust(primary);
  } finally {
    primary.close();
    reader.disconnect();
    await Promise.all([present.close(), former.close()]);
  }
});

test('without a minimum of replicas, Redis is always trusted', () => {
  const primary = provePrimary({ url: 'redis://127.0.0.1:1', prefix: 'test', minReplicas: 0 }, [], quiet);
  expect(isProven(primary)).toBe(true);
  primary.close();
});
