import { expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { createPasswords } from './passwords.ts';

test('matches a password with its argon2id hash, at the cost that OWASP recommends', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'wrong')).toBe(false);
  expect(await passwords.matches(hash, '')).toBe(false);
  expect(await passwords.matches(undefined, 'correct')).toBe(false);
});

test('refuses with 503 overloaded when its queue is full', async () => {
  const passwords = createPasswords();
  const checks = await Promise.allSettled(Array.from({ length: 205 }, () => passwords.matches('not a hash', 'x')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as { status?: number }] : []));
  expect(refused.filter(({ status }) => status === 503)).toHaveLength(3);
  expect(await passwords.matches(undefined, 'x')).toBe(false);
});
