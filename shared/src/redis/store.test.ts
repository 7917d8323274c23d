import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis, type TestServer } from '@agent-fleet/scripts/testing/test-redis';
import { beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../logger.ts';
import { processIdOf } from '../testing/redis.ts';
import { until } from '../testing/until.ts';
import { waitForRedis } from './connection.ts';
import { isRedisUnavailable } from './errors.ts';
import { checkRedis, type OpenStore, openStore } from './store.ts';

/** Reads wait 5 s for a restart. */
const HOLD_MS = 5_000;

let redis: TestServer;
let store: OpenStore;
beforeEach(async () => {
  redis = await startTestRedis();
  own(redis.close);
  store = openStore(redis.url, createLogger('test', 'silent'));
  own(() => store.close());
  for (const client of [store.reader, store.writer]) await waitForRedis(client, 60_000);
  await store.writes.run((client) => client.hset('hash', { field: 'x' }));
});

test('reads wait for a restart and get their replies, while writes and checks fail at once', async () => {
  const { redis: reads, writes } = store;
  await redis.kill();
  const begin = performance.now();
  const found = Promise.all([
    reads.hgetall('hash'),
    reads.eval_ro("return redis.call('HGET', KEYS[1], 'field')", 1, 'hash'),
  ]);
  const failures = [
    writes.run((client) => client.set('text', 'y')),
    writes.run((client) => client.multi().set('text', 'y').exec()),
  ];
  expect((await Promise.all(failures.map(toError))).map(isRedisUnavailable)).toEqual([true, true]);
  expect(await checkRedis(store, 'hash')).toBe('unavailable');
  expect(performance.now() - begin).toBeLessThan(HOLD_MS);
  await redis.restart();
  expect(await found).toEqual([{ field: 'x' }, 'x']);
  await until(store.isReady);
  expect(await checkRedis(store, 'hash')).toBe('ok');
  expect(await reads.exists('text')).toBe(0);
});

test('reads fail after 5 s of an outage, then at once until Redis is back', async () => {
  const { redis: reads } = store;
  await redis.kill();
  const begin = performance.now();
  expect(isRedisUnavailable(await toError(reads.get('text')))).toBe(true);
  expect(performance.now() - begin).toBeGreaterThan(HOLD_MS - 100);
  await sleep(500);
  const again = performance.now();
  expect(isRedisUnavailable(await toError(reads.get('text')))).toBe(true);
  expect(performance.now() - again).toBeLessThan(1_000);
  await redis.restart();
  await waitForRedis(store.reader, 60_000);
  expect(await reads.get('text')).toBeNull();
  // The reads that failed are not sent afterwards.
  expect(await store.writer.info('commandstats')).toContain('cmdstat_get:calls=1,');
  await redis.kill();
  const held = reads.hget('hash', 'field');
  await redis.restart();
  expect(await held).toBe('x');
});

test('reads reconnect together with writes', async () => {
  const reconnected = once(store.reader, 'reconnecting');
  store.writer.disconnect(true);
  await reconnected;
  expect(await store.redis.hget('hash', 'field')).toBe('x');
});

test('a check does not wait for a Redis that hangs', async () => {
  const pid = await processIdOf(store.reader as Redis);
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await checkRedis(store, 'hash')).toBe('unavailable');
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
