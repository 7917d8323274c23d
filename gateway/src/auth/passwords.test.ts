import { expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { createPasswords } from './passwords.ts';

test('knows a password by its hash, which is argon2id at the cost that OWASP names', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'wrong')).toBe(false);
  expect(await passwords.matches(hash, '')).toBe(false);
});

test('takes as long without a hash as with one', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  const timeOf = async (known: string | undefined) => {
    const times: number[] = [];
    for (let round = 0; round < 9; round++) {
      const startedAt = performance.now();
      expect(await passwords.matches(known, 'wrong')).toBe(false);
      times.push(performance.now() - startedAt);
    }
    return Math.min(...times);
  };
  const ratio = (await timeOf(undefined)) / (await timeOf(hash));
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test('refuses with 503 overloaded beyond what may wait', async () => {
  const passwords = createPasswords();
  const checks = await Promise.allSettled(Array.from({ length: 205 }, () => passwords.matches('not a hash', 'x')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason as { status?: number }] : []));
  expect(refused.filter(({ status }) => status === 503)).toHaveLength(3);
  expect(await passwords.matches(undefined, 'x')).toBe(false);
});
