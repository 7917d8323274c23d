import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { createLogger } from '@agent-fleet/shared/logger';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { BestEncodings } from '../src/publish/best-encodings.ts';
import type { Served } from '../src/publish/served.ts';
import { digestOf, Representation } from '../src/serve/http/representation.ts';
import { registryOf } from './support/fake-upstream.ts';
import { openStore } from './support/open-registry.ts';
import { opened } from './support/opened.ts';

const logger = createLogger('test', 'silent');
const identity = Buffer.from(JSON.stringify(registryOf(500)));
const digest = digestOf(identity);
const encode = (quality: number) =>
  brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const quick = encode(1);
/** An encoding that no replica creates itself. */
const ofAnother = encode(5);

async function openReplica(prefix: string) {
  const store = await openStore(prefix, 'best');
  const best = new BestEncodings(store, logger, { bytesPerSecond: 100_000_000, minWaitMs: 100, pollMs: 100 });
  opened.push(() => best.close());
  const list = new Representation({ digest, identity, gzip: gzipSync(identity), br: quick });
  best.start({ list } as Served);
  return { best, list, store };
}

const untilImproved = (list: Representation) => until(() => list.br.body.length < quick.length);

test('a replica compresses the list in the background with the best brotli, for all replicas', async () => {
  const { list, store } = await openReplica(uniquePrefix('best'));
  const { etag } = list.br;
  await untilImproved(list);
  expect(brotliDecompressSync(list.br.body).equals(identity)).toBe(true);
  expect(list.br.etag).toBe(etag);
  expect((await store.readBest(digest))?.equals(list.br.body)).toBe(true);
});

test('a replica waits for the encoding that another one is making', async () => {
  const prefix = uniquePrefix('best');
  const another = await openStore(prefix, 'best');
  expect(await another.claimBest(digest, 600)).toBe(true);
  const { list } = await openReplica(prefix);
  // A replica with another prefix starts later and does not wait: when it has finished, this one would have too.
  await untilImproved((await openReplica(uniquePrefix('best'))).list);
  expect(list.br.body.equals(quick)).toBe(true);
  await another.writeBest(digest, ofAnother);
  await untilImproved(list);
  expect(list.br.body.equals(ofAnother)).toBe(true);
});

test('a replica stops encoding a list that a newer snapshot replaces', async () => {
  const { best, list, store } = await openReplica(uniquePrefix('best'));
  const empty = Buffer.from('[]');
  const next = new Representation({ digest: digestOf(empty), identity: empty, gzip: gzipSync(empty), br: quick });
  best.start({ list: next } as Served);
  await untilImproved(next);
  // Another replica starts later with the same list: when it has finished, this one would have too.
  await untilImproved((await openReplica(uniquePrefix('best'))).list);
  expect(list.br.body.equals(quick)).toBe(true);
  expect(await store.readBest(digest)).toBeUndefined();
});
