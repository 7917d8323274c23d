import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { fails } from './fake-upstream.ts';
import { opened, openFolder, openRegistry, openUpstream } from './opened.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const skillsOf = async (registry: StartedRegistry) => (await registry.status()).counts.skills;

describe('a restart with upstream away', () => {
  test('serves the last good snapshot from Redis', async () => {
    const upstream = await openUpstream(50);
    const first = await startRegistry({ source: upstream.url });
    await until(() => skillsOf(first), { holds: (count) => count === 50 });
    const before = await first.status();
    await first.close();
    await upstream.close();
    const again = await openRegistry({ source: upstream.url, prefix: first.prefix, refreshMs: 1_000 });
    const status = await until(again.status, { holds: ({ last_error }) => last_error?.code === 'unreachable' });
    expect(status).toMatchObject({ snapshot_id: before.snapshot_id, fetched_at: before.fetched_at, stale: true });
  });

  test('serves it from disk when Redis has lost it, and brings it back there', async () => {
    const upstream = await openUpstream(50);
    const dataDir = openFolder();
    const first = await startRegistry({ source: upstream.url, dataDir });
    await until(() => skillsOf(first), { holds: (count) => count === 50 });
    await first.close();
    fails(upstream);
    const prefix = uniquePrefix('restart');
    const again = await openRegistry({ source: upstream.url, prefix, dataDir });
    expect(await skillsOf(again)).toBe(50);
    const redis = new Redis(testRedisUrl());
    opened.push(() => redis.disconnect());
    await until(() => redis.keys(`${prefix}:{registry}:snapshot:*`), { holds: (keys) => keys.length === 1 });
  });

  test('does not trust a file that was damaged', async () => {
    const upstream = await openUpstream(50);
    const dataDir = openFolder();
    const first = await startRegistry({ source: upstream.url, dataDir });
    await until(() => skillsOf(first), { holds: (count) => count === 50 });
    await first.close();
    fails(upstream);
    const file = join(dataDir, 'registry', readdirSync(join(dataDir, 'registry'))[0] ?? '');
    writeFileSync(file, readFileSync(file).subarray(0, -20));
    const again = await openRegistry({ source: upstream.url, dataDir });
    expect((await again.status()).source).toBe('shipped');
  });
});
