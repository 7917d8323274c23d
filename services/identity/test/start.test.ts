import { expect, test } from '@jest/globals';
import { ADMIN, type StartedService, startService } from './support/start-service.ts';
import { signIn } from './support/users.ts';

const warnings = ({ logs }: StartedService) => logs.filter(({ level }) => level === 'warn').map(({ msg }) => msg);

test('the first user is an admin, made once by replicas that start together', async () => {
  const first = await startService();
  const REDIS_PREFIX = first.prefix;
  const others = await Promise.all([startService({ REDIS_PREFIX }), startService({ REDIS_PREFIX })]);
  expect(await first.redis.zcard(first.keys.users)).toBe(1);
  await signIn(others[0] as StartedService, ADMIN.email, ADMIN.password).expect(204);
  expect([first, ...others].flatMap(warnings)).toEqual([]);
});

test('without ADMIN_EMAIL there is no first user', async () => {
  const service = await startService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' });
  expect(await service.redis.exists(service.keys.users)).toBe(0);
});

test('an ADMIN_PASSWORD that breaks a rule for passwords is taken as it is, with a warning', async () => {
  const service = await startService({ ADMIN_PASSWORD: 'short' });
  expect(warnings(service)).toEqual(['ADMIN_PASSWORD breaks a rule for passwords; used as it is']);
  await signIn(service, ADMIN.email, 'short').expect(204);
});

test('an ADMIN_PASSWORD that differs changes nothing, and a warning says how to change the password', async () => {
  const { prefix: REDIS_PREFIX } = await startService();
  const next = await startService({ REDIS_PREFIX, ADMIN_PASSWORD: 'another password than before' });
  expect(warnings(next)).toEqual([
    expect.stringMatching(/^ADMIN_PASSWORD is not .*PUT \/users\/me\/password.*reset code/),
  ]);
  await signIn(next, ADMIN.email, ADMIN.password).expect(204);
  await signIn(next, ADMIN.email, 'another password than before').expect(401);
  expect(JSON.stringify(next.logs)).not.toContain('another password');
});

test('data of a later version are refused', async () => {
  const { redis, keys, prefix: REDIS_PREFIX } = await startService();
  expect(await redis.get(keys.layout)).toBe('1');
  await redis.set(keys.layout, '2');
  await expect(startService({ REDIS_PREFIX })).rejects.toThrow(/has layout 2 .*knows layouts up to 1/);
});
