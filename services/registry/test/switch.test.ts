import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { registryKeys } from '../src/keys.ts';
import { RedisSnapshotStore } from '../src/snapshots/redis-snapshot-store.ts';
import { parseSources, sourcesKey } from '../src/upstream/source.ts';
import { registryOf } from './fake-upstream.ts';
import { opened, openRegistry, openUpstream } from './opened.ts';

test('a new snapshot is served by nobody before every replica that lives is ready for it', async () => {
  const upstream = await openUpstream(50);
  const registry = await openRegistry({ source: upstream.url });
  await until(registry.status, { holds: ({ counts }) => counts.skills === 50 });
  const other = new RedisSnapshotStore(
    {
      redisUrl: testRedisUrl(),
      prefix: registry.prefix,
      sourcesKey: sourcesKey(parseSources(upstream.url)),
      logger: createLogger('test', 'silent'),
    },
    () => {},
  );
  opened.push(() => other.close());
  expect(await other.waitUntilReady(20_000)).toBe(true);
  await other.announceAlive();
  const living = setInterval(() => void other.announceAlive(), 500);
  opened.push(() => clearInterval(living));

  upstream.serve(registryOf(60));
  let isDone = false;
  const refreshed = registry.refresh().then(() => {
    isDone = true;
  });
  const { staged } = await until(() => other.readState(), { holds: (state) => state.staged !== undefined });
  // Long enough for many looks at who is ready.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(isDone).toBe(false);
  expect((await registry.status()).counts.skills).toBe(50);
  if (staged) await other.announceReady(staged);
  await refreshed;
  expect(await registry.status()).toMatchObject({ snapshot_id: staged?.id, counts: { skills: 60 } });
});

test('a new snapshot is served alone where Redis answers with errors', async () => {
  const upstream = await openUpstream(50);
  const registry = await openRegistry({ source: upstream.url });
  await until(registry.status, { holds: ({ counts }) => counts.skills === 50 });
  const redis = new Redis(testRedisUrl());
  opened.push(() => redis.disconnect());
  const key = registryKeys(registry.prefix).replicas(sourcesKey(parseSources(upstream.url)));
  await redis.set(key, 'no sorted set');
  upstream.serve(registryOf(60));
  await registry.refresh();
  expect((await registry.status()).counts.skills).toBe(60);
});
