import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis, type TestServer } from '@agent-fleet/scripts/testing/test-redis';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { processIdOf } from '../testing/redis.ts';
import { connectRedis, type RedisClient, waitForRedis } from './connection.ts';
import { isRedisUnavailable } from './errors.ts';
import { checkRedis } from './held-reads.ts';

/** Reads wait 5 s for a restart. */
const HOLD_MS = 5_000;

let redis: TestServer;
let client: RedisClient;
beforeEach(async () => {
  redis = await startTestRedis();
  client = connectRedis(redis.url, createLogger('test', 'silent'), { holdsReads: true });
  await waitForRedis(client, 60_000);
  await client.hset('hash', { field: 'x' });
});
afterEach(async () => {
  client.disconnect();
  await redis.close();
});

test('reads wait for a restart and get their replies, while writes and checks fail at once', async () => {
  client.defineCommand('readField', {
    numberOfKeys: 1,
    lua: "return redis.call('HGET', KEYS[1], 'field')",
    readOnly: true,
  });
  const { readField } = client as unknown as { readField(key: string): Promise<string> };
  await redis.kill();
  const begin = performance.now();
  const reads = Promise.all([
    client.hgetall('hash'),
    client.hgetBuffer('hash', 'field'),
    readField.call(client, 'hash'),
  ]);
  const failures = await Promise.all([client.set('text', 'y'), client.multi().get('text').exec()].map(toError));
  expect(failures.map(isRedisUnavailable)).toEqual([true, true]);
  // Not after its deadline of 500 ms.
  expect(await Promise.race([checkRedis(client, 'hash'), sleep(400)])).toBe('unavailable');
  expect(performance.now() - begin).toBeLessThan(HOLD_MS);
  await redis.restart();
  expect(await reads).toEqual([{ field: 'x' }, Buffer.from('x'), 'x']);
  expect(await checkRedis(client, 'hash')).toBe('ok');
  expect(await client.exists('text')).toBe(0);
});

test('reads fail after 5 s of an outage, then at once until one succeeds', async () => {
  await redis.kill();
  const begin = performance.now();
  expect(isRedisUnavailable(await toError(client.get('text')))).toBe(true);
  expect(performance.now() - begin).toBeGreaterThan(HOLD_MS - 100);
  const again = performance.now();
  expect(isRedisUnavailable(await toError(client.get('text')))).toBe(true);
  expect(performance.now() - again).toBeLessThan(1_000);
  await redis.restart();
  await waitForRedis(client, 60_000);
  expect(await client.get('text')).toBeNull();
  await redis.kill();
  const held = client.hget('hash', 'field');
  await redis.restart();
  expect(await held).toBe('x');
});

test('a check does not wait for a Redis that hangs', async () => {
  const pid = await processIdOf(client as never);
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await checkRedis(client, 'hash')).toBe('unavailable');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

function toError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
