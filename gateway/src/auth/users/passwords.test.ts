import { expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { cpuTimeOf } from '../../../test/support/cpu-time.ts';
import { createPasswords } from './passwords.ts';

test('matches a password with its argon2id hash, at the cost that OWASP recommends', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'wrong')).toBe(false);
  expect(await passwords.matches(hash, '')).toBe(false);
});

test('takes as much processor time without a hash as with one', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  let [without, with_] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The least of many: what else this process does now and then is in some of them.
  for (let round = 0; round < 15; round++) {
    without = Math.min(without, await cpuTimeOf(() => passwords.matches(undefined, 'wrong')));
    with_ = Math.min(with_, await cpuTimeOf(() => passwords.matches(hash, 'wrong')));
  }
  expect(without / with_).toBeGreaterThan(0.5);
  expect(without / with_).toBeLessThan(2);
  expect(await passwords.matches(undefined, 'wrong')).toBe(false);
});

test('refuses with 503 overloaded when its queue is full', async () => {
  const passwords = createPasswords();
  const checks = await Promise.allSettled(Array.from({ length: 205 }, () => passwords.matches('not a hash', 'x')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as { status?: number }] : []));
  expect(refused.filter(({ status }) => status === 503)).toHaveLength(3);
  expect(await passwords.matches(undefined, 'x')).toBe(false);
});
