import { expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { createPasswords } from './passwords.ts';

const LOW_COST = { memoryKib: 64, passes: 1, parallelism: 1 };

test('matches a password with its argon2id hash, at the cost that OWASP recommends', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'correct')).toBe(true);
  expect(await passwords.matches(hash, 'wrong')).toBe(false);
  expect(await passwords.matches(hash, '')).toBe(false);
  expect(await passwords.matches(undefined, 'correct')).toBe(false);
  expect(await passwords.matches(null, 'correct')).toBe(false);
});

test('takes a password exactly as sent', async () => {
  const passwords = createPasswords({ cost: LOW_COST });
  const hash = await passwords.hash(' zo\u00eb ');
  expect(await passwords.matches(hash, ' zo\u00eb ')).toBe(true);
  expect(await passwords.matches(hash, 'zo\u00eb')).toBe(false);
  expect(await passwords.matches(hash, ' zoe\u0308 ')).toBe(false);
  expect(await passwords.matches(hash, ' Zo\u00eb ')).toBe(false);
});

test('matches a hash of another cost, and says that it needs a new one', async () => {
  const hash = await createPasswords({ cost: LOW_COST }).hash('correct');
  for (const change of [{ memoryKib: 128 }, { passes: 2 }, { parallelism: 2 }]) {
    const passwords = createPasswords({ cost: { ...LOW_COST, ...change } });
    expect(await passwords.matches(hash, 'correct')).toBe(true);
    expect(passwords.needsRehash(hash)).toBe(true);
    expect(passwords.needsRehash(await passwords.hash('correct'))).toBe(false);
  }
  expect(createPasswords({ cost: LOW_COST }).needsRehash(hash)).toBe(false);
  expect(createPasswords({ cost: LOW_COST }).needsRehash(hash.replace('argon2id', 'argon2i'))).toBe(true);
});

test('refuses a cost that argon2 does not take', () => {
  expect(() => createPasswords({ cost: { ...LOW_COST, memoryKib: 1 } })).toThrow();
});

test('refuses with 503 overloaded when its queue is full', async () => {
  const passwords = createPasswords();
  const checks = await Promise.allSettled(Array.from({ length: 154 }, () => passwords.matches('not a hash', 'x')));
  expect(statusesOf(checks).filter((status) => status === 503)).toHaveLength(3);
  expect(await passwords.matches(undefined, 'x')).toBe(false);
});

test('bounds checks and hashes by what it is told', async () => {
  const passwords = createPasswords({ cost: LOW_COST, maxAtOnce: 2, maxWaiting: 1 });
  const all = await Promise.allSettled([
    passwords.hash('x'),
    passwords.matches(undefined, 'x'),
    passwords.hash('x'),
    passwords.hash('x'),
    passwords.matches(undefined, 'x'),
  ]);
  expect(statusesOf(all)).toEqual([undefined, undefined, undefined, 503, 503]);
});

test('takes as long for a user who does not exist, at the configured cost', async () => {
  const passwords = createPasswords({ cost: { memoryKib: 65_536, passes: 2, parallelism: 1 } });
  const hash = await passwords.hash('correct');
  const fastest = { known: Infinity, unknown: Infinity };
  for (let round = 0; round < 5; round += 1) {
    fastest.known = Math.min(fastest.known, await processorTimeOf(() => passwords.matches(hash, 'wrong')));
    fastest.unknown = Math.min(fastest.unknown, await processorTimeOf(() => passwords.matches(undefined, 'wrong')));
  }
  expect(fastest.unknown / fastest.known).toBeGreaterThan(0.5);
  expect(fastest.unknown / fastest.known).toBeLessThan(2);
});

function statusesOf(results: PromiseSettledResult<unknown>[]): (number | undefined)[] {
  return results.map((result) =>
    result.status === 'rejected' ? (result.reason as { status?: number }).status : undefined,
  );
}

/** Processor time of this process, in microseconds: other processes of a busy machine do not count. */
async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
