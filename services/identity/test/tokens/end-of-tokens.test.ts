import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@agent-fleet/shared/logger';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { storeOn } from '@agent-fleet/shared/redis/store';
import { expect, test } from '@jest/globals';
import type { Origin } from '../../src/http/origin.ts';
import { createCommit } from '../../src/redis/commit.ts';
import { type IdentityContext, redisTime } from '../../src/redis/context.ts';
import { SessionStore } from '../../src/stores/session-store.ts';
import { type StoredUser, UserStore } from '../../src/stores/user-store.ts';
import { createSetPassword } from '../../src/users/set-password.ts';
import { startService } from '../support/start-service.ts';
import { createUser, readUser } from '../support/users.ts';

const service = await startService();

test('a new password ends the tokens made until it is written, and changes nothing else of the user', async () => {
  const { redis, keys } = service;
  const commit = createCommit(storeOn(redis), keys);
  let lastToken = Number.NaN;
  const context: IdentityContext = {
    ...storeOn(redis),
    keys,
    logger: createLogger('test', 'silent'),
    async commit(parts, audit) {
      await sleep(5);
      lastToken = await redisTime(redis);
      return commit(parts, audit);
    },
    durable: async () => {},
    registry: createMetricsRegistry(),
  };
  const users = new UserStore(context);
  const setPassword = createSetPassword(context, { users, sessions: new SessionStore(context) });
  const account = await createUser(service);
  const before = (await users.read(account.id)) as StoredUser;
  const origin: Origin = {
    caller: undefined,
    actor: { type: 'user', id: account.id, name: account.email },
    address: '192.0.2.1',
    userAgent: '',
    requestId: 'r1',
    isHttps: false,
  };
  const code = { checks: [], commands: [] };
  const change = { hash: 'x', keptSession: 'kept', code, origin, action: 'user.password_changed' };
  await setPassword(before, change);
  const { tokens_valid_after, ...after } = await readUser(service, account.id);
  const { tokens_valid_after: _, ...record } = before.record;
  expect(after).toEqual({ ...record, password_hash: 'x', kept_session: 'kept' });
  expect(tokens_valid_after).toBeGreaterThan(lastToken);
  expect(tokens_valid_after).toBeLessThanOrEqual((await redisTime(redis)) + 1);
});
