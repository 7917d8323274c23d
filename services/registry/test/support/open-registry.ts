import { own } from '@agent-fleet/scripts/testing/own';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import { parseSources, sourcesKey } from '../../src/source/source.ts';
import { RedisSnapshotStore } from '../../src/store/redis-snapshot-store.ts';
import { type FakeUpstream, registryOf, startUpstream } from './fake-upstream.ts';
import { type StartedRegistry, type StartOptions, startRegistry } from './start-registry.ts';

export async function openUpstream(count: number): Promise<FakeUpstream> {
  const upstream = await startUpstream(registryOf(count));
  own(() => upstream.close());
  return upstream;
}

export async function openRegistry(options: StartOptions): Promise<StartedRegistry> {
  const registry = await startRegistry(options);
  own(() => registry.close());
  return registry;
}

/** A registry that serves `count` skills of an upstream. */
export async function openServing(count: number, options: StartOptions = {}) {
  const upstream = await openUpstream(count);
  const registry = await openRegistry({ source: upstream.url, ...options });
  await untilSkills(registry, count);
  return { upstream, registry };
}

export const untilSkills = ({ status }: StartedRegistry, count: number, timeoutMs = 60_000) =>
  until(status, { holds: ({ counts, source }) => counts.skills === count && source !== 'shipped', timeoutMs });

/** The part of a Redis key that names the sources of a registry. */
export const keyOfSources = (urls: string): string => sourcesKey(parseSources(urls));

/** The store of another replica. */
export async function openStore(prefix: string, key: string): Promise<RedisSnapshotStore> {
  const logger = createLogger('test', 'silent');
  const store = new RedisSnapshotStore({ redisUrl: testRedisUrl(), prefix, sourcesKey: key, logger }, () => {});
  own(() => store.close());
  expect(await store.waitUntilReady(20_000)).toBe(true);
  return store;
}
