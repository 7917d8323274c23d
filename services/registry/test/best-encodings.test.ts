import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { expect, it } from '@jest/globals';
import { digestOf, toRepresentation } from '../src/http/representation.ts';
import { BestEncodings } from '../src/snapshots/best-encodings.ts';
import { RedisSnapshotStore } from '../src/snapshots/redis-snapshot-store.ts';
import type { Served } from '../src/snapshots/served.ts';
import { registryOf } from './fake-upstream.ts';
import { opened } from './opened.ts';
import { eventually } from './start-registry.ts';

const logger = createLogger('test', 'silent');
const identity = Buffer.from(JSON.stringify(registryOf(2_000)));
const quick = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

async function openReplica(prefix: string) {
  const store = new RedisSnapshotStore({ redisUrl: testRedisUrl(), prefix, sourcesKey: 'best', logger }, () => {});
  opened.push(() => store.close());
  expect(await store.waitUntilReady(20_000)).toBe(true);
  const best = new BestEncodings(store, logger, 100_000_000);
  opened.push(() => best.close());
  const list = toRepresentation({ digest: digestOf(identity), identity, gzip: gzipSync(identity), br: quick });
  best.follow({ list } as Served);
  return { best, list, store };
}

it('makes the list as small as brotli can in the background, once for all replicas', async () => {
  const prefix = uniquePrefix('best');
  const replicas = [await openReplica(prefix), await openReplica(prefix)];
  const before = replicas.map(({ list }) => list.br.etag);
  for (const { list } of replicas) {
    await eventually(
      async () => list.br.body.length,
      (length) => length < quick.length,
    );
    expect(brotliDecompressSync(list.br.body).equals(identity)).toBe(true);
  }
  expect(replicas.map(({ list }) => list.br.etag)).toEqual(before);
  // What one has made is in Redis; the other has taken it from there.
  const stored = await replicas[0]?.store.readBest(digestOf(identity));
  for (const { list } of replicas) expect(stored?.equals(list.br.body)).toBe(true);
});

it('gives up what a newer snapshot has replaced', async () => {
  const { best, list } = await openReplica(uniquePrefix('best'));
  const next = toRepresentation({
    digest: digestOf('[]'),
    identity: Buffer.from('[]'),
    gzip: gzipSync('[]'),
    br: quick,
  });
  best.follow({ list: next } as Served);
  await eventually(
    async () => next.br.body.length,
    (length) => length < quick.length,
  );
  expect(list.br.body.length).toBe(quick.length);
});
