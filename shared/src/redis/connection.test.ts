import { startTestCluster, startTestRedis, type TestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { connectRedis, isRedisUnavailable, type RedisClient, waitForRedis } from './connection.ts';

const quiet = createLogger('test', 'silent');
let redis: TestRedis;
let client: RedisClient;
beforeAll(async () => {
  redis = await startTestRedis();
  client = connectRedis(redis.url, quiet);
  await waitForRedis(client, 60_000);
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

test('a wrong command does not count as Redis being unavailable', async () => {
  await client.set('text', 'x');
  const error = await client.lpush('text', 'y').catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/WRONGTYPE/);
  expect(isRedisUnavailable(error)).toBe(false);
});

test('commands of one turn of the event loop are sent in writes of sixteen', async () => {
  const one = client as Redis;
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await one.info('stats'))?.[1]);
  const countReads = async (commands: number) => {
    const before = await reads();
    await Promise.all(Array.from({ length: commands }, () => client.get('text')));
    // The second INFO counts as a read too.
    return (await reads()) - before - 1;
  };
  expect(await countReads(15)).toBe(1);
  // Redis may find two writes at once.
  expect(await countReads(50)).toBeLessThanOrEqual(4);
});

test('commands fail at once while Redis is unavailable, and work after it returns', async () => {
  await redis.kill();
  const begin = Date.now();
  const errors = await Promise.all([1, 2, 3].map(() => client.get('text').catch((thrown: unknown) => thrown)));
  expect(errors.map(isRedisUnavailable)).toEqual([true, true, true]);
  // A command that waited would take five seconds.
  expect(Date.now() - begin).toBeLessThan(4_000);
  await redis.restart();
  await waitForRedis(client, 60_000);
  expect(await client.get('text')).toBe('x');
});

test('a cluster is reached by redis+cluster://', async () => {
  const cluster = await startTestCluster();
  const connection = connectRedis(cluster.url, quiet);
  try {
    await waitForRedis(connection, 60_000);
    await connection.set('{a}x', '1');
    expect(await connection.get('{a}x')).toBe('1');
    const error = await connection.mget(['{a}x', '{b}x']).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/slot/i);
  } finally {
    connection.disconnect();
    await cluster.close();
  }
});
