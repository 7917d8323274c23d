import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { digestOf, type Representation, toRepresentation } from '../src/http/representation.ts';
import { BestEncodings } from '../src/snapshots/best-encodings.ts';
import { RedisSnapshotStore } from '../src/snapshots/redis-snapshot-store.ts';
import type { Served } from '../src/snapshots/served.ts';
import { registryOf } from './fake-upstream.ts';
import { opened } from './opened.ts';

const logger = createLogger('test', 'silent');
const identity = Buffer.from(JSON.stringify(registryOf(500)));
const digest = digestOf(identity);
const encode = (quality: number) => {
  return brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
};
const quick = encode(1);
/** What no replica makes by itself. */
const ofAnother = encode(5);

async function openStore(prefix: string) {
  const store = new RedisSnapshotStore({ redisUrl: testRedisUrl(), prefix, sourcesKey: 'best', logger }, () => {});
  opened.push(() => store.close());
  expect(await store.waitUntilReady(20_000)).toBe(true);
  return store;
}

async function openReplica(prefix: string) {
  const store = await openStore(prefix);
  const best = new BestEncodings(store, logger, { bytesPerSecond: 100_000_000, minWaitMs: 100, pollMs: 100 });
  opened.push(() => best.close());
  const list = toRepresentation({ digest, identity, gzip: gzipSync(identity), br: quick });
  best.start({ list } as Served);
  return { best, list, store };
}

const untilImproved = (list: Representation) => {
  return until(async () => list.br.body.length, { holds: (length) => length < quick.length });
};

test('makes the list as small as brotli can in the background, for all replicas', async () => {
  const { list, store } = await openReplica(uniquePrefix('best'));
  const { etag } = list.br;
  await untilImproved(list);
  expect(brotliDecompressSync(list.br.body).equals(identity)).toBe(true);
  expect(list.br.etag).toBe(etag);
  expect((await store.readBest(digest))?.equals(list.br.body)).toBe(true);
});

test('takes what another replica has made', async () => {
  const prefix = uniquePrefix('best');
  const another = await openStore(prefix);
  await another.writeBest(digest, ofAnother);
  const { list } = await openReplica(prefix);
  await untilImproved(list);
  expect(list.br.body.equals(ofAnother)).toBe(true);
});

test('waits for what another replica makes', async () => {
  const prefix = uniquePrefix('best');
  const another = await openStore(prefix);
  expect(await another.claimBest(digest, 600)).toBe(true);
  const { list } = await openReplica(prefix);
  // One that has nobody to wait for, and began later.
  await untilImproved((await openReplica(uniquePrefix('best'))).list);
  expect(list.br.body.equals(quick)).toBe(true);
  await another.writeBest(digest, ofAnother);
  await untilImproved(list);
  expect(list.br.body.equals(ofAnother)).toBe(true);
});

test('gives up what a newer snapshot has replaced', async () => {
  const { best, list, store } = await openReplica(uniquePrefix('best'));
  const empty = Buffer.from('[]');
  const next = toRepresentation({ digest: digestOf(empty), identity: empty, gzip: gzipSync(empty), br: quick });
  best.start({ list: next } as Served);
  await untilImproved(next);
  // One that goes on with the same list, and began later.
  await untilImproved((await openReplica(uniquePrefix('best'))).list);
  expect(list.br.body.equals(quick)).toBe(true);
  expect(await store.readBest(digest)).toBeUndefined();
});
