import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { afterEach, expect, jest, test } from '@jest/globals';
import { startWithServices } from '../support/gateway.ts';
import { statusOf, withApiKey, withToken } from '../support/requests.ts';

afterEach(() => void jest.restoreAllMocks());

test('without a proof that Redis is the present master, no stored credential is valid', async () => {
  // Redis has no replica.
  const gateway = await startWithServices({ REDIS_MIN_REPLICAS: '1' });
  const headers = withToken(gateway.identity.issue(await gateway.identity.addUser()));
  expect(await statusOf(gateway, headers)).toBe(200);
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
  expect(await statusOf(gateway, headers)).toBe(503);
});

test('keys and sessions are valid although Redis refuses to note their use', async () => {
  const { identity, prefix } = await startWithServices();
  const user = `gateway-${prefix}`;
  await identity.redis.call('ACL', 'SETUSER', user, 'on', '>x', '~*', '&*', '+@all', '-set');
  const url = Object.assign(new URL(testRedisUrl()), { username: user, password: 'x' });
  const gateway = await startWithServices({ REDIS_PREFIX: prefix, REDIS_URL: url.href });
  const [key, session] = [await identity.addApiKey(), await identity.addSession(await identity.addUser())];
  expect(await statusOf(gateway, withApiKey(key.text))).toBe(200);
  expect(await statusOf(gateway, { cookie: `fleet=${session.cookie}` })).toBe(200);
  await identity.redis.call('ACL', 'DELUSER', user);
});
