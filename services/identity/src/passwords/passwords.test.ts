import { expect, test } from '@jest/globals';
import { hash, verify } from '@node-rs/argon2';
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

test('takes a password in any composition of its accents, else exactly as sent', async () => {
  const passwords = createPasswords({ cost: LOW_COST });
  const hash = await passwords.hash(' zo\u00eb ');
  expect(await passwords.matches(hash, ' zo\u00eb ')).toBe(true);
  expect(await passwords.matches(hash, 'zo\u00eb')).toBe(false);
  expect(await passwords.matches(hash, ' zoe\u0308 ')).toBe(true);
  expect(await passwords.matches(await passwords.hash(' zoe\u0308 '), ' zo\u00eb ')).toBe(true);
  expect(await passwords.matches(hash, ' zoe ')).toBe(false);
  expect(await passwords.matches(hash, ' Zo\u00eb ')).toBe(false);
});

test('matches a password as sent with a hash from before it was composed, which needs a new one', async () => {
  const passwords = createPasswords({ cost: LOW_COST });
  const [sent, composed] = ['rame\u0301 \u212b', 'ram\u00e9 \u00c5'];
  const old = await hash(sent, { memoryCost: LOW_COST.memoryKib, timeCost: LOW_COST.passes, parallelism: 1 });
  expect([await passwords.matches(old, sent), await passwords.needsRehash(old, sent)]).toEqual([true, true]);
  expect(await passwords.matches(old, composed)).toBe(false);
  const next = await passwords.hash(sent);
  for (const form of [sent, composed]) {
    expect([await passwords.matches(next, form), await passwords.needsRehash(next, form)]).toEqual([true, false]);
  }
});

test('does not take a lone surrogate for the character that hashing makes of it', async () => {
  const passwords = createPasswords({ cost: LOW_COST });
  expect(await passwords.matches(await passwords.hash('a\ufffd'), 'a\udbff')).toBe(false);
});

test('matches a hash of another cost, and says that it needs a new one', async () => {
  const hash = await createPasswords({ cost: LOW_COST }).hash('correct');
  for (const change of [{ memoryKib: 128 }, { passes: 2 }, { parallelism: 2 }]) {
    const passwords = createPasswords({ cost: { ...LOW_COST, ...change } });
    expect(await passwords.matches(hash, 'correct')).toBe(true);
    expect(await passwords.needsRehash(hash, 'correct')).toBe(true);
    expect(await passwords.needsRehash(await passwords.hash('correct'), 'correct')).toBe(false);
  }
  expect(await createPasswords({ cost: LOW_COST }).needsRehash(hash, 'correct')).toBe(false);
  const other = hash.replace('argon2id', 'argon2i');
  expect(await createPasswords({ cost: LOW_COST }).needsRehash(other, 'correct')).toBe(true);
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
