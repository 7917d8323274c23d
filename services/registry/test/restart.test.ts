import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { fails } from './support/fake-upstream.ts';
import { openRegistry, openServing } from './support/open-registry.ts';
import { openFolder, openRedis } from './support/opened.ts';

test('a restart without upstream serves the last good snapshot from Redis', async () => {
  const { upstream, registry } = await openServing(50);
  const { snapshot_id, fetched_at } = await registry.status();
  await registry.close();
  await upstream.close();
  const again = await openRegistry({ source: upstream.url, prefix: registry.prefix, refreshMs: 1_000 });
  const status = await until(again.status, { holds: ({ last_error }) => last_error?.code === 'unreachable' });
  expect(status).toMatchObject({ snapshot_id, fetched_at, stale: true });
});

test('a restart without upstream serves the snapshot from disk when Redis has lost it, and stores it there', async () => {
  const dataDir = openFolder();
  const { upstream, registry } = await openServing(50, { dataDir });
  await registry.close();
  fails(upstream);
  const prefix = uniquePrefix('restart');
  const again = await openRegistry({ source: upstream.url, prefix, dataDir });
  expect((await again.status()).counts.skills).toBe(50);
  const redis = openRedis();
  await until(() => redis.keys(`${prefix}:{registry}:snapshot:*`), { holds: (keys) => keys.length === 1 });
});

test('a restart does not trust a damaged file on disk', async () => {
  const dataDir = openFolder();
  const { upstream, registry } = await openServing(50, { dataDir });
  await registry.close();
  fails(upstream);
  const file = join(dataDir, 'registry', readdirSync(join(dataDir, 'registry'))[0] ?? '');
  writeFileSync(file, readFileSync(file).subarray(0, -20));
  const again = await openRegistry({ source: upstream.url, dataDir });
  expect((await again.status()).source).toBe('shipped');
});
