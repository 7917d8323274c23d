import { expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { createPasswords, DUMMY_HASH } from './passwords.ts';

test('knows a password by its hash, which is argon2id at the cost that OWASP names', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'wrong')).toBe(false);
  expect(await passwords.matches(hash, '')).toBe(false);
});

test('what is checked without a hash costs what a hash does', async () => {
  const costOf = (hash: string) => hash.split('$').slice(0, 4);
  expect(costOf(DUMMY_HASH)).toEqual(costOf(await createPasswords().hash('correct')));
  expect(await verify(DUMMY_HASH, 'correct')).toBe(false);
  expect(await createPasswords().matches(undefined, 'correct')).toBe(false);
});

test('refuses with 503 overloaded beyond what may wait', async () => {
  const passwords = createPasswords();
  const checks = await Promise.allSettled(Array.from({ length: 205 }, () => passwords.matches(undefined, 'x')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as { status?: number }] : []));
  expect(refused.filter(({ status }) => status === 503)).toHaveLength(3);
  expect(await passwords.matches(undefined, 'x')).toBe(false);
});
