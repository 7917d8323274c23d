import { createIdentityKeys } from '@agent-fleet/access/keys';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createFailures } from './failures.ts';

const LIMIT = 3;
const ADDRESS = '192.0.2.1';
const wrong = async () => false;
const right = async () => true;

let redis: RedisClient;
beforeAll(async () => {
  redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'));
  await waitForRedis(redis, 60_000);
});
afterAll(() => redis.disconnect());

function create(limit = LIMIT) {
  const keys = createIdentityKeys(uniquePrefix('failures'));
  const { inTurn, attempt } = createFailures({ ...storeOn(redis), keys }, limit);
  const inItsTurn: typeof attempt = (account, address, check) =>
    inTurn(account, address, () => attempt(account, address, check));
  return { keys, attempt: inItsTurn };
}

/** `right`, `wrong`, or the status of the refusal. */
const outcome = (attempt: Promise<boolean>) =>
  attempt.then(
    (isRight) => (isRight ? 'right' : 'wrong'),
    (error: { status?: number }) => error.status,
  );

test('counts accounts without case, and the networks of addresses', async () => {
  const { attempt } = create();
  for (const account of ['Ada@example.com', ' ada@EXAMPLE.com', 'ada@example.com']) {
    expect(await outcome(attempt(account, '2001:db8::1', wrong))).toBe('wrong');
  }
  expect(await outcome(attempt('ada@example.com', '2001:db8::2', right))).toBe(429);
  expect(await outcome(attempt('ada@example.com', '2001:db8:0:1::2', right))).toBe('right');
  expect(await outcome(attempt('bob@example.com', '2001:db8::1', right))).toBe('right');
});

test('the count lasts 15 minutes from the first failure', async () => {
  const { attempt, keys } = create();
  await attempt('a', ADDRESS, wrong);
  const [key = ''] = await redis.keys(`${keys.prefix}*`);
  await redis.expire(key, 100);
  await attempt('a', ADDRESS, wrong);
  await attempt('a', ADDRESS, wrong);
  expect(await redis.ttl(key)).toBeLessThanOrEqual(100);
  await expect(attempt('a', ADDRESS, right)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.stringMatching(/^(99|100)$/) },
  });
});

test('a check that fails counts for nothing', async () => {
  const { attempt } = create();
  const broken = () => Promise.reject(Object.assign(new Error('broken'), { status: 503 }));
  for (let number = 0; number < 2 * LIMIT; number++) expect(await outcome(attempt('a', ADDRESS, broken))).toBe(503);
  expect(await outcome(attempt('a', ADDRESS, right))).toBe('right');
});

test('at most 150 attempts on an account from a network wait', async () => {
  const { attempt } = create();
  const { promise: held, resolve } = Promise.withResolvers<boolean>();
  const attempts = Array.from({ length: 153 }, () => outcome(attempt('a', ADDRESS, () => held)));
  resolve(true);
  const outcomes = await Promise.all(attempts);
  expect(outcomes.filter((status) => status === 503)).toHaveLength(2);
  expect(outcomes.filter((status) => status === 'right')).toHaveLength(151);
});

test('without a limit nothing is counted', async () => {
  const { attempt, keys } = create(0);
  for (let number = 0; number < 20; number++) expect(await outcome(attempt('a', ADDRESS, wrong))).toBe('wrong');
  expect(await redis.keys(`${keys.prefix}*`)).toEqual([]);
});
