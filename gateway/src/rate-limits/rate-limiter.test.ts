import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createRateLimitStore } from './rate-limit-store.ts';
import { type Grant, RateLimiter } from './rate-limiter.ts';

const logger = createLogger('test', 'silent');
const redis = connectRedis(testRedisUrl(), logger, { enableOfflineQueue: true });
afterAll(() => redis.disconnect());

/** Redis is available, except where a test makes it hang. */
const PATIENT_MS = 30_000;

let prefix: string;
const limiters: RateLimiter[] = [];
beforeEach(() => {
  prefix = uniquePrefix('test');
});
afterEach(() => {
  for (const limiter of limiters.splice(0)) limiter.close();
});

/** One of several processes, each with its own state of the same limit. */
function createLimiter(quota: number): RateLimiter {
  return own(
    new RateLimiter({ name: 'principal', quota }, createRateLimitStore(storeOn(redis), prefix, logger, PATIENT_MS)),
  );
}

/** Closes it after the test. */
function own(limiter: RateLimiter): RateLimiter {
  limiters.push(limiter);
  return limiter;
}

async function takeAtOnce(limiter: RateLimiter, times: number, id = 'user:a'): Promise<Grant[]> {
  return Promise.all(Array.from({ length: times }, () => limiter.take(id)));
}

function countAllowed(grants: Grant[]): number {
  return grants.filter(({ allowed }) => allowed).length;
}

describe('a quota', () => {
  test('is complete at first for each id', async () => {
    const limiter = createLimiter(2);
    expect(countAllowed(await takeAtOnce(limiter, 4))).toBe(2);
    expect(countAllowed(await takeAtOnce(limiter, 4, 'user:b'))).toBe(2);
    const refused = await limiter.take('user:a');
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    // One request per 30 seconds.
    expect(refused.nextInMs).toBeGreaterThan(0);
    expect(refused.nextInMs).toBeLessThanOrEqual(30_000);
    expect(refused.fullInMs).toBeGreaterThan(30_000);
  });

  test('refills over time', async () => {
    const limiter = createLimiter(600);
    const refused = (await takeAtOnce(limiter, 650)).at(-1);
    // One request per 100 milliseconds.
    const nextInMs = refused?.nextInMs ?? 0;
    expect([refused?.allowed, nextInMs > 0, nextInMs <= 100]).toEqual([false, true, true]);
    await sleep(nextInMs + 20);
    expect((await limiter.take('user:a')).allowed).toBe(true);
  });

  test.each([7, 500, 3_000])(
    'of %i is never exceeded by several processes together, and is all used',
    async (quota) => {
      const processes = [createLimiter(quota), createLimiter(quota), createLimiter(quota)];
      let allowed = 0;
      const startedAt = Date.now();
      const use = async (limiter: RateLimiter) => {
        for (let refused = false; !refused; ) {
          const grants = await takeAtOnce(limiter, 1 + Math.floor(Math.random() * 40));
          allowed += countAllowed(grants);
          refused = grants.some((grant) => !grant.allowed);
        }
      };
      await Promise.all(processes.map(use));
      const refilled = Math.ceil(((Date.now() - startedAt) / 60_000) * quota);
      expect(allowed).toBeLessThanOrEqual(quota + refilled);
      // The requests that one process took ahead, which others could not use.
      expect(allowed).toBeGreaterThan(quota * 0.97);
    },
  );
});

test('returns requests that were taken ahead and not used', async () => {
  const store = createRateLimitStore(storeOn(redis), prefix, logger, PATIENT_MS);
  const take = jest.spyOn(store, 'take');
  const taken = () => take.mock.calls.reduce((sum, [, , count]) => sum + count, 0);
  const limiter = own(new RateLimiter({ name: 'principal', quota: 6_000 }, store));
  let used = 0;
  for (; taken() === used; used++) await limiter.take('user:a');
  expect(taken()).toBeGreaterThan(used);
  await until(() => taken() === used);
});

test('a request that is returned is available again', async () => {
  const store = createRateLimitStore(storeOn(redis), prefix, logger, PATIENT_MS);
  // One request per 30 seconds.
  const takeOf2 = (count: number) => store.take({ name: 'principal', quota: 2 }, 'user:a', count);
  expect(await takeOf2(2)).toMatchObject({ granted: 2, remaining: 0 });
  expect(await takeOf2(-1)).toMatchObject({ remaining: 1, nextInMs: 0 });
  expect(await takeOf2(2)).toMatchObject({ granted: 1, remaining: 0 });
});

test('a busy client causes few calls to Redis', async () => {
  const limiter = createLimiter(1_000_000);
  let calls = 0;
  for (let n = 0; n < 5_000; n++) {
    const grant = limiter.take('user:a');
    if (grant instanceof Promise) calls++;
    await grant;
  }
  expect(calls).toBeLessThan(200);
});

test('a refusal is repeated without a call until the quota refills', async () => {
  const limiter = createLimiter(2);
  await takeAtOnce(limiter, 3);
  expect(limiter.isExhausted('user:a')).toBe(true);
  expect(limiter.take('user:a')).not.toBeInstanceOf(Promise);
  expect(limiter.isExhausted('user:b')).toBe(false);
  expect(limiter.refused).toBe(2);
});

test('a record expires when the quota is complete again', async () => {
  const limiter = createLimiter(60_000);
  await limiter.take('user:a');
  const key = `${prefix}:rate:principal:user:a`;
  expect(await redis.pttl(key)).toBeLessThan(1_000);
  await until(async () => (await redis.exists(key)) === 0);
  expect((await limiter.take('user:a')).remaining).toBe(59_999);
});

test('only the first request waits for a Redis that hangs', async () => {
  const server = await startTestRedis();
  const client = connectRedis(server.url, logger, { enableOfflineQueue: true });
  const store = createRateLimitStore(storeOn(client), prefix, logger, 3_000);
  const limiter = own(new RateLimiter({ name: 'principal', quota: 100 }, store));
  expect((await limiter.take('user:a')).remaining).toBe(99);
  await client.call('CLIENT', 'PAUSE', '60000', 'ALL');
  const first = limiter.take('user:a');
  expect(first).toBeInstanceOf(Promise);
  expect((await first).allowed).toBe(true);
  // Now a request may try Redis again.
  await until(() => !store.isUnavailable);
  expect(limiter.take('user:a')).toMatchObject({ allowed: true });
  expect(store.isLocal).toBe(true);
  client.disconnect();
  await server.kill();
  await server.close();
});
