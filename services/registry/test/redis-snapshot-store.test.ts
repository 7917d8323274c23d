import { hash, randomBytes } from 'node:crypto';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { expect, test } from '@jest/globals';
import { registryKeys } from '../src/keys.ts';
import type { StoredSnapshot } from '../src/store/snapshot.ts';
import { openStore } from './support/open-registry.ts';
import { openRedis } from './support/opened.ts';

const MIB = 1_048_576;
const SOURCES = 'some';
const FIRST = { id: 'first', at: 1 };

test('a snapshot with documents of any size is read back unchanged', async () => {
  const { store } = await open();
  const documents = [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB].map((length) => new Uint8Array(randomBytes(length)));
  const snapshot = snapshotOf(documents);
  await store.stage(snapshot);
  expect(await store.commit(FIRST)).toBe('done');
  const read = await store.read('snapshot', FIRST, new Map());
  expect(read?.meta).toEqual(snapshot.meta);
  for (const bytes of documents) {
    expect(Buffer.from(read?.documents.get(hash('sha256', bytes)) ?? []).equals(bytes)).toBe(true);
  }
});

test('a snapshot without a part of a document cannot be read', async () => {
  const { store, redis, keys } = await open();
  const bytes = new Uint8Array(randomBytes(2 * MIB + 1));
  await store.stage(snapshotOf([bytes]));
  expect(await store.read('staged', FIRST, new Map())).toBeDefined();
  expect(await redis.hdel(keys.staged, `d:${hash('sha256', bytes)}:1`)).toBe(1);
  await expect(store.read('staged', FIRST, new Map())).rejects.toThrow('lacks a document');
});

test('a draft and a staged snapshot expire', async () => {
  const { store, redis, keys } = await open();
  const big = snapshotOf([new Uint8Array(randomBytes(8 * MIB))]);
  const writing = store.stage(big);
  const draft = keys.draft(store.replica);
  let draftSeconds = -2;
  while (draftSeconds === -2 && (await redis.exists(keys.staged)) === 0) draftSeconds = await redis.ttl(draft);
  await writing;
  expect(draftSeconds).toBeGreaterThan(0);
  expect(await redis.exists(draft)).toBe(0);
  expect(await redis.ttl(keys.staged)).toBeGreaterThan(0);
});

test('a snapshot that is replaced during a read is not mixed with the new one', async () => {
  const { store, redis, keys } = await open();
  const [old, next] = [new Uint8Array([1]), new Uint8Array([2])];
  const renamed = `${keys.staged}:renamed`;
  await store.stage(snapshotOf([old], { id: 'next', at: 2 }));
  await redis.rename(keys.staged, renamed);
  const history = [{ from: 'before', to: 'first', at: 1, added: ['a'], changed: [], removed: [] }];
  await store.stage({ ...snapshotOf([old, next]), history });
  const whole = await store.read('staged', FIRST, new Map());
  // Called between the first command of a read and the last.
  class Known extends Map<string, Uint8Array> {
    override get(digest: string) {
      if (digest === hash('sha256', next)) done(redis.rename(renamed, keys.staged));
      return super.get(digest);
    }
  }
  const known = new Known([[hash('sha256', next), next]]);
  expect(await store.read('staged', FIRST, known)).toEqual(whole);
  expect(await store.read('staged', FIRST, known)).toBeUndefined();
});

test('a replica that is ready for a snapshot is not ready for one with the same id and another time', async () => {
  const { store } = await open();
  await store.announceAlive();
  const again = { ...FIRST, at: 2 };
  await store.announceReady(FIRST);
  expect([await store.countUnready(FIRST), await store.countUnready(again)]).toEqual([0, 1]);
});

test('a snapshot with another time is neither committed nor read', async () => {
  const { store } = await open();
  await store.stage(snapshotOf([], { ...FIRST, at: 2 }));
  expect(await store.commit(FIRST)).toBe('superseded');
  expect(await store.read('staged', FIRST, new Map())).toBeUndefined();
  expect(await store.commit({ ...FIRST, at: 2 })).toBe('done');
  expect(await store.commit({ ...FIRST, at: 3 })).toBe('missing');
});

test('a staged snapshot that is not newer than the stored one is not committed', async () => {
  const { store } = await open();
  const newest = { id: 'newest', at: 2 };
  await store.stage(snapshotOf([], newest));
  expect(await store.commit(newest)).toBe('done');
  for (const name of [FIRST, { id: 'other', at: 2 }]) {
    await store.stage(snapshotOf([], name));
    expect(await store.commit(name)).toBe('superseded');
  }
  expect((await store.readState()).meta).toMatchObject(newest);
});

test('stage and restore fail when Redis loses the draft during the write', async () => {
  const { store, redis, keys } = await open();
  const draft = keys.draft(store.replica);
  const snapshot = snapshotOf([new Uint8Array([1])]);
  const documents = new Interrupted(snapshot.documents, () => redis.del(draft), 1);
  await expect(store.stage({ ...snapshot, documents })).rejects.toThrow('no such key');
  await expect(store.restore({ ...snapshot, documents })).rejects.toThrow('has lost the snapshot');
  expect(await store.readState()).toMatchObject({ staged: undefined, meta: undefined });
});

test('a snapshot whose first part Redis loses expires and is not committed', async () => {
  const { store, redis, keys } = await open();
  const draft = keys.draft(store.replica);
  const snapshot = snapshotOf([new Uint8Array([1]), new Uint8Array([2])]);
  const documents = new Interrupted(snapshot.documents, () => redis.del(draft), 1);
  await store.stage({ ...snapshot, documents });
  expect(await redis.ttl(keys.staged)).toBeGreaterThan(0);
  expect(await store.commit(FIRST)).toBe('missing');
});

test('a switch does not wait for a replica whose heartbeat is in the future', async () => {
  const { store, redis, keys } = await open();
  await store.announceAlive();
  await redis.zadd(keys.replicas, Date.now() + 3_600_000, 'ahead');
  expect(await store.countUnready(FIRST)).toBe(1);
  await store.announceReady(FIRST);
  expect(await store.countUnready(FIRST)).toBe(0);
});

/** Documents that call `interrupt` after the first `after` of them. */
class Interrupted extends Map<string, Uint8Array> {
  readonly #interrupt: () => unknown;
  readonly #after: number;

  constructor(documents: Iterable<[string, Uint8Array]>, interrupt: () => unknown, after: number) {
    super(documents);
    this.#interrupt = interrupt;
    this.#after = after;
  }

  override *[Symbol.iterator]() {
    let given = 0;
    for (const document of super[Symbol.iterator]()) {
      if (given++ === this.#after) done(this.#interrupt());
      yield document;
    }
    if (given === this.#after) done(this.#interrupt());
    return undefined;
  }
}

/** Blocks this thread until Redis has executed the commands sent so far. */
function done(_sent: unknown): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
}

async function open() {
  const prefix = uniquePrefix('store');
  const redis = openRedis();
  // Before it is connected, commands are queued, and `done` would wait in vain.
  await redis.ping();
  return { store: await openStore(prefix, SOURCES), redis, keys: registryKeys(prefix, SOURCES) };
}

function snapshotOf(documents: readonly Uint8Array[], name = FIRST): StoredSnapshot {
  const named = documents.map((bytes) => ({ digest: hash('sha256', bytes), bytes }));
  const source = {
    key: 'some',
    label: 'some',
    digest: 'of all',
    fetchedAt: 1,
    skills: 1,
    recordDocuments: [0],
    documents: named.map(({ digest, bytes }) => ({ digest, bytes: bytes.length })),
    validators: { root: { etag: null, lastModified: null } },
  };
  const bytesOf = new Map(named.map(({ digest, bytes }) => [digest, bytes]));
  return { meta: { ...name, sources: [source] }, documents: bytesOf, history: [], trends: [] };
}
