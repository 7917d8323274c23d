import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { fromSecret } from '../tokens/signing-key.ts';
import { createTokens, type Tokens } from '../tokens/token.ts';
import { createUsers, type Users } from '../users/users.ts';
import { type BearerTokens, createBearerTokens } from './bearer-tokens.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const EMAIL = 'a@b.example';
const redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'), { enableOfflineQueue: true });
afterAll(() => redis.disconnect());

let prefix: string;
let users: Users;
let tokens: Tokens;
let bearer: BearerTokens;

beforeEach(async () => {
  prefix = uniquePrefix('test');
  users = createUsers(redis, prefix);
  tokens = createTokens(fromSecret(SECRET), { issuer: 'i', audience: 'a', ttlSeconds: 60 });
  bearer = createBearerTokens(tokens, users);
  await users.add({ email: EMAIL, password_hash: '', created_at: '' });
});

test('reads Redis once for a token', async () => {
  const token = tokens.issue(EMAIL);
  const first = bearer.verify(token);
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toMatchObject({ email: EMAIL, principal: `user:${EMAIL}` });
  expect(bearer.verify(token)).toMatchObject({ email: EMAIL });
});

test('does not cache bad tokens', async () => {
  const token = tokens.issue('new@b.example');
  expect(await bearer.verify(token)).toBeUndefined();
  await users.add({ email: 'new@b.example', password_hash: '', created_at: '' });
  expect(await bearer.verify(token)).toMatchObject({ email: 'new@b.example' });
});

test('caches a token until exp at most', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const exp = now + 60;
  const token = jwt.sign({ sub: EMAIL, iss: 'i', aud: 'a', iat: now, exp }, SECRET);
  await bearer.verify(token);
  expect(bearer.verify(token)).not.toBeInstanceOf(Promise);
  const clock = jest.spyOn(Date, 'now').mockReturnValue(exp * 1_000 + 10);
  // Within the leeway the token is still valid, but it is verified and looked up each time.
  expect(bearer.verify(token)).toBeInstanceOf(Promise);
  clock.mockRestore();
});

test('caches a token for 30 s at most, by the monotonic clock', async () => {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
      ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
  const token = tokens.issue(EMAIL);
  await bearer.verify(token);
  jest.advanceTimersByTime(29_999);
  expect(bearer.verify(token)).not.toBeInstanceOf(Promise);
  jest.advanceTimersByTime(1);
  expect(bearer.verify(token)).toBeInstanceOf(Promise);
  jest.useRealTimers();
});

test('does not cache a user that was read before a change', async () => {
  const token = tokens.issue(EMAIL);
  const early = bearer.verify(token);
  bearer.clear();
  expect(await early).toBeDefined();
  expect(bearer.verify(token)).toBeInstanceOf(Promise);
});

describe('a known token', () => {
  test('is one that was verified before', async () => {
    const token = tokens.issue(EMAIL);
    expect(bearer.isKnown(token)).toBe(false);
    await bearer.verify(token);
    expect(bearer.isKnown(token)).toBe(true);
    expect(bearer.isKnown(`${token}x`)).toBe(false);
    expect(bearer.isKnown('x'.repeat(10_000))).toBe(false);
  });

  test('stays known when users change, until its verification fails', async () => {
    const token = tokens.issue(EMAIL);
    await bearer.verify(token);
    bearer.clear();
    expect(bearer.isKnown(token)).toBe(true);
    await redis.del(`${prefix}:user:${EMAIL}`);
    expect(await bearer.verify(token)).toBeUndefined();
    expect(bearer.isKnown(token)).toBe(false);
  });

  test('is no longer known after its exp', async () => {
    const now = Math.floor(Date.now() / 1_000);
    // Within the leeway.
    const token = jwt.sign({ sub: EMAIL, iss: 'i', aud: 'a', iat: now, exp: now - 1 }, SECRET);
    expect(await bearer.verify(token)).toBeDefined();
    expect(bearer.isKnown(token)).toBe(false);
  });
});

test('counts hits and misses of the cache', async () => {
  const token = tokens.issue(EMAIL);
  await bearer.verify(token);
  bearer.verify('bad');
  for (let times = 0; times < 3; times++) bearer.verify(token);
  expect(bearer.lookups).toEqual({ hit: 3, miss: 2 });
});

test('does not look up a sub that is not an e-mail address', async () => {
  expect(await bearer.verify(tokens.issue('x'.repeat(300)))).toBeUndefined();
  expect(await bearer.verify(tokens.issue('nobody'))).toBeUndefined();
});
