import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { BuildInput } from '../src/building/build-input.ts';
import { Builder } from '../src/building/builder.ts';
import { registryKeys } from '../src/keys.ts';
import { RedisSnapshotStore } from '../src/snapshots/redis-snapshot-store.ts';
import { Snapshots } from '../src/snapshots/snapshots.ts';
import { FETCH_LIMITS } from '../src/upstream/fetch-source.ts';
import { parseSources, sourcesKey } from '../src/upstream/source.ts';
import { opened, openUpstream } from './opened.ts';
import { startRegistry } from './start-registry.ts';

/** Keeps its first build to itself until it is let go. */
class HeldBuilder extends Builder {
  readonly begun = Promise.withResolvers<void>();
  readonly released = Promise.withResolvers<void>();
  #builds = 0;

  override async build(input: BuildInput, signal: AbortSignal) {
    const isFirst = this.#builds++ === 0;
    const built = await super.build(input, signal);
    this.begun.resolve();
    if (isFirst) await this.released.promise;
    return built;
  }
}

test('the shipped file does not replace a snapshot that another replica has stored while it was read', async () => {
  const upstream = await openUpstream(50);
  const first = await startRegistry({ source: upstream.url });
  const { snapshot_id } = await until(first.status, { holds: ({ counts }) => counts.skills === 50 });
  await first.close();
  const sources = parseSources(upstream.url);
  const redis = new Redis(testRedisUrl());
  opened.push(() => redis.disconnect());
  const key = registryKeys(first.prefix).snapshot(sourcesKey(sources));
  await redis.rename(key, `${key}:aside`);

  const logger = createLogger('test', 'silent');
  const names = { prefix: first.prefix, sourcesKey: sourcesKey(sources) };
  const store = new RedisSnapshotStore({ redisUrl: testRedisUrl(), ...names, logger }, () => {});
  const builder = new HeldBuilder();
  opened.push(() => store.close());
  opened.push(() => builder.close());
  const { signal } = new AbortController();
  const about = { limits: FETCH_LIMITS, accepted: new Set<string>(), disk: undefined, logger, signal, now: Date.now };
  const snapshots = new Snapshots({ sources, redis: store, builder, ...about });
  const loaded = snapshots.load(20_000);
  await builder.begun.promise;
  await redis.rename(`${key}:aside`, key);
  await snapshots.sync();
  expect(snapshots.served?.meta.id).toBe(snapshot_id);
  builder.released.resolve();
  await loaded;
  expect(snapshots.served?.meta.id).toBe(snapshot_id);
});
