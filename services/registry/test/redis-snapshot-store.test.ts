import { hash, randomBytes } from 'node:crypto';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { registryKeys } from '../src/keys.ts';
import { RedisSnapshotStore } from '../src/snapshots/redis-snapshot-store.ts';
import type { StoredSnapshot } from '../src/snapshots/snapshot.ts';
import { opened } from './opened.ts';

const MIB = 1_048_576;
const SOURCES = 'some';

it('a snapshot comes back as it was stored, however large its documents are', async () => {
  const { store } = await openStore();
  const documents = [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB].map((length) => new Uint8Array(randomBytes(length)));
  const snapshot = snapshotOf(documents);
  await store.stage(snapshot);
  expect(await store.commit('first')).toBe(true);
  const read = await store.read('snapshot', 'first', new Map());
  expect(read?.meta).toEqual(snapshot.meta);
  for (const bytes of documents) {
    expect(Buffer.from(read?.documents.get(hash('sha256', bytes)) ?? []).equals(bytes)).toBe(true);
  }
});

it('a snapshot of which a piece has gone is none', async () => {
  const { store, redis, keys } = await openStore();
  const bytes = new Uint8Array(randomBytes(2 * MIB + 1));
  await store.stage(snapshotOf([bytes]));
  expect(await store.read('staged', 'first', new Map())).toBeDefined();
  expect(await redis.hdel(keys.staged(SOURCES), `d:${hash('sha256', bytes)}:1`)).toBe(1);
  expect(await store.read('staged', 'first', new Map())).toBeUndefined();
});

it('nothing of a snapshot is left behind for good: while it is written, and when it is staged', async () => {
  const { store, redis, keys } = await openStore();
  const big = snapshotOf([new Uint8Array(randomBytes(8 * MIB))]);
  const writing = store.stage(big);
  const draft = keys.draft(SOURCES, store.replica);
  let draftSeconds = -2;
  while (draftSeconds === -2 && (await redis.exists(keys.staged(SOURCES))) === 0) draftSeconds = await redis.ttl(draft);
  await writing;
  expect(draftSeconds).toBeGreaterThan(0);
  expect(await redis.exists(draft)).toBe(0);
  expect(await redis.ttl(keys.staged(SOURCES))).toBeGreaterThan(0);
});

async function openStore() {
  const prefix = uniquePrefix('store');
  const options = { redisUrl: testRedisUrl(), prefix, sourcesKey: SOURCES, logger: createLogger('test', 'silent') };
  const store = new RedisSnapshotStore(options, () => {});
  opened.push(() => store.close());
  expect(await store.waitUntilReady(20_000)).toBe(true);
  const redis = new Redis(testRedisUrl());
  opened.push(() => redis.disconnect());
  return { store, redis, keys: registryKeys(prefix) };
}

function snapshotOf(documents: readonly Uint8Array[]): StoredSnapshot {
  const named = documents.map((bytes) => ({ digest: hash('sha256', bytes), bytes }));
  const source = {
    key: 'some',
    label: 'some',
    digest: 'of all',
    fetchedAt: 1,
    skills: 1,
    documents: named.map(({ digest, bytes }) => ({ digest, bytes: bytes.length })),
    recordDocuments: [0],
    validators: { root: { etag: null, lastModified: null } },
  };
  return {
    meta: { id: 'first', at: 1, sources: [source] },
    documents: new Map(named.map(({ digest, bytes }) => [digest, bytes])),
    history: [],
  };
}
