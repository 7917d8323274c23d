import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { expect, test } from '@jest/globals';
import { Builder } from '../src/build/builder.ts';
import type { BuildInput } from '../src/build/built-snapshot.ts';
import { FETCH_LIMITS } from '../src/fetch/fetch-source.ts';
import { registryKeys } from '../src/keys.ts';
import { Snapshots } from '../src/publish/snapshots.ts';
import { parseSources } from '../src/source/source.ts';
import { keyOfSources, openServing, openStore } from './support/open-registry.ts';
import { openRedis } from './support/opened.ts';

/** Delays the first build until it is released. */
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

test('the shipped file does not replace a snapshot that another replica stores meanwhile', async () => {
  const { upstream, registry } = await openServing(50);
  const { snapshot_id } = await registry.status();
  await registry.close();
  const redis = openRedis();
  const key = registryKeys(registry.prefix, keyOfSources(upstream.url)).snapshot;
  await redis.rename(key, `${key}:renamed`);

  const store = await openStore(registry.prefix, keyOfSources(upstream.url));
  const builder = new HeldBuilder();
  own(() => builder.close());
  const logger = createLogger('test', 'silent');
  const about = { limits: FETCH_LIMITS, accepted: new Set<string>(), disk: undefined, logger, now: Date.now };
  const { signal } = new AbortController();
  const snapshots = new Snapshots({ sources: parseSources(upstream.url), redis: store, builder, ...about, signal });
  const loaded = snapshots.load(20_000);
  await builder.begun.promise;
  await redis.rename(`${key}:renamed`, key);
  await snapshots.sync();
  expect(snapshots.served?.meta.id).toBe(snapshot_id);
  builder.released.resolve();
  await loaded;
  expect(snapshots.served?.meta.id).toBe(snapshot_id);
});
