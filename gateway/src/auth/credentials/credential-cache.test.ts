import { redisErrorCause } from '@agent-fleet/shared/redis/errors';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Principal, toPrincipal } from '../schemes/principal.ts';
import { CredentialCache, type Found } from './credential-cache.ts';

/** Changes as the test makes them. */
class Changes {
  position = 0;
  currentUntilMs = Number.POSITIVE_INFINITY;
  readonly #changed: ((name: string) => void)[] = [];
  readonly #reset: (() => void)[] = [];
  onChange = (listener: (name: string) => void) => void this.#changed.push(listener);
  onReset = (listener: () => void) => void this.#reset.push(listener);
  close = async () => {};

  change(name: string): void {
    this.position++;
    for (const listener of this.#changed) listener(name);
  }

  reset(): void {
    this.position++;
    for (const listener of this.#reset) listener();
  }
}

let changes: Changes;
let cache: CredentialCache;
beforeEach(() => {
  jest.useFakeTimers();
  changes = new Changes();
  cache = new CredentialCache(changes);
});
afterEach(() => {
  jest.useRealTimers();
});

const principalOf = (name: string, tags: string[] = []): Principal =>
  toPrincipal({ actor: { type: 'user', id: name, name }, uniqueName: name, scopes: [], tags });
const found = (name: string, tags: string[] = [], ttlMs = 3_600_000): Found => ({
  principal: principalOf(name, tags),
  expiresAtMs: Date.now() + ttlMs,
});
const keep = (name: string, tags: string[] = [], ttlMs?: number) =>
  cache.lookUp(name, async () => found(name, tags, ttlMs));
const isKept = (name: string) => cache.get(name) !== undefined;
const unavailable = () => Promise.reject(new Error('Connection is closed.'));

test('a valid credential is kept for 30 s, or until it expires', async () => {
  await keep('a');
  await keep('b', [], 10_000);
  expect(cache.get('a')).toMatchObject({ principal: 'user:a' });
  jest.advanceTimersByTime(9_999);
  expect([isKept('a'), isKept('b')]).toEqual([true, true]);
  jest.advanceTimersByTime(1);
  expect([isKept('a'), isKept('b')]).toEqual([true, false]);
  jest.advanceTimersByTime(19_999);
  expect(isKept('a')).toBe(true);
  jest.advanceTimersByTime(1);
  expect(isKept('a')).toBe(false);
});

test('a credential that is not valid is not kept, and drops what was kept', async () => {
  await keep('a');
  expect(await cache.lookUp('a', async () => undefined)).toBeUndefined();
  expect(isKept('a')).toBe(false);
});

test('a change drops what depends on the record, and nothing else', async () => {
  await keep('a', ['user:1', 'session:1']);
  await keep('b', ['user:1']);
  await keep('c', ['user:2']);
  changes.change('session:1');
  expect(['a', 'b', 'c'].map(isKept)).toEqual([false, true, true]);
  changes.change('user:1');
  expect(['a', 'b', 'c'].map(isKept)).toEqual([false, false, true]);
  changes.change('user');
  changes.change('user:22');
  expect(isKept('c')).toBe(true);
});

test('a credential that is looked up again depends on what it depends on now', async () => {
  await keep('a', ['user:1']);
  await keep('a', ['user:2']);
  changes.change('user:1');
  expect(isKept('a')).toBe(true);
  changes.change('user:2');
  expect(isKept('a')).toBe(false);
});

test('a reset drops everything', async () => {
  await keep('a', ['user:1']);
  await keep('b');
  changes.reset();
  expect(['a', 'b'].map(isKept)).toEqual([false, false]);
});

test.each([
  ['a change', () => changes.change('user:other')],
  ['a reset', () => changes.reset()],
])('a look-up that began before %s is not kept', async (_what, happen) => {
  const looked = cache.lookUp('a', async () => {
    happen();
    return found('a', ['user:1']);
  });
  expect(await looked).toMatchObject({ principal: 'user:a' });
  expect(isKept('a')).toBe(false);
  await keep('a');
  expect(isKept('a')).toBe(true);
});

test('while changes are not followed, each use is looked up', async () => {
  await keep('a');
  changes.currentUntilMs = 0;
  expect(isKept('a')).toBe(false);
  changes.currentUntilMs = Number.POSITIVE_INFINITY;
  expect(isKept('a')).toBe(true);
});

test('without Redis, what was verified in the last 30 s stays valid, and nothing else', async () => {
  await keep('a');
  await keep('b', [], 10_000);
  changes.currentUntilMs = 0;
  await expect(cache.lookUp('c', unavailable)).rejects.toThrow('Connection is closed.');
  jest.advanceTimersByTime(9_999);
  expect(await cache.lookUp('a', unavailable)).toMatchObject({ principal: 'user:a' });
  expect(await cache.lookUp('b', unavailable)).toMatchObject({ principal: 'user:b' });
  jest.advanceTimersByTime(1);
  await expect(cache.lookUp('b', unavailable)).rejects.toThrow();
  // Its use without Redis does not count as a verification.
  jest.advanceTimersByTime(19_999);
  expect(await cache.lookUp('a', unavailable)).toMatchObject({ principal: 'user:a' });
  jest.advanceTimersByTime(1);
  await expect(cache.lookUp('a', unavailable)).rejects.toThrow('Connection is closed.');
});

test('another error is no reason to accept what was verified before', async () => {
  await keep('a');
  changes.currentUntilMs = 0;
  const wrong = () => Promise.reject(new Error('WRONGTYPE'));
  await expect(cache.lookUp('a', wrong)).rejects.toThrow('WRONGTYPE');
});

test('a clock that is set back keeps nothing valid for longer', async () => {
  await keep('a', [], 10_000);
  jest.setSystemTime(Date.now() - 86_400_000);
  jest.advanceTimersByTime(30_000);
  expect(isKept('a')).toBe(false);
  await expect(cache.lookUp('a', unavailable)).rejects.toThrow();
});

test('a credential is known while it is kept, also when it has to be verified again', async () => {
  expect(cache.isKnown('a')).toBe(false);
  await keep('a', ['user:1']);
  jest.advanceTimersByTime(60_000);
  expect([isKept('a'), cache.isKnown('a')]).toEqual([false, true]);
  changes.change('user:1');
  expect(cache.isKnown('a')).toBe(false);
});

test('the number of credentials is bounded, the longest unused go first, and their dependencies with them', async () => {
  for (let at = 0; at < 10_000; at++) await keep(`c${at}`, ['user:1']);
  cache.get('c0');
  await keep('new', ['user:2']);
  expect(['c0', 'c1', 'c2', 'new'].map(isKept)).toEqual([true, false, true, true]);
  changes.change('user:1');
  expect(['c0', 'c2', 'c9999', 'new'].map(isKept)).toEqual([false, false, false, true]);
});

test('counts uses with and without a look-up', async () => {
  await keep('a');
  cache.get('a');
  cache.get('a');
  cache.get('b');
  await cache.lookUp('b', async () => undefined);
  expect(cache.lookups).toEqual({ hit: 2, miss: 2 });
});

test('while Redis hangs, what was verified before waits 250 ms once, and not for a credential that was dropped', async () => {
  await keep('a', ['user:a']);
  await keep('b', ['user:b']);
  changes.currentUntilMs = 0;
  const hanging = Promise.withResolvers<Found | undefined>();
  const first = cache.lookUp('a', () => hanging.promise);
  await jest.advanceTimersByTimeAsync(250);
  await expect(first).resolves.toMatchObject({ principal: 'user:a' });
  // No longer than the others: the next one does not wait at all.
  await expect(cache.lookUp('b', () => hanging.promise)).resolves.toMatchObject({ principal: 'user:b' });
  changes.change('user:b');
  const dropped = cache.lookUp('b', () => hanging.promise);
  await jest.advanceTimersByTimeAsync(5_000);
  hanging.resolve(undefined);
  await expect(dropped).resolves.toBeUndefined();
});

test('while Redis may be a former master, no credential is valid', async () => {
  const proof = { untilMs: Number.POSITIVE_INFINITY };
  cache = new CredentialCache(changes, proof);
  await keep('a');
  expect(isKept('a')).toBe(true);
  proof.untilMs = 0;
  expect(isKept('a')).toBe(false);
  await expect(keep('a')).rejects.toThrow('former master');
  await expect(keep('a').catch(redisErrorCause)).resolves.toBe('unproven');
});
