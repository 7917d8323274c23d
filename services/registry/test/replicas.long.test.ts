import { startTestCluster, startTestRedis } from '@agent-fleet/scripts/local/test-redis';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { registryOf, send } from './fake-upstream.ts';
import { opened, openRegistry, openUpstream } from './opened.ts';
import { untilStartIsOver } from './start-jobs.ts';
import type { StartedRegistry } from './start-registry.ts';

async function openRedis() {
  const redis = await startTestRedis();
  opened.push(() => redis.close());
  return redis;
}

const skillsOf = async (registry: StartedRegistry) => (await registry.status()).counts.skills;

describe('several replicas on one Redis', () => {
  test('fetch once at start, and all serve what came', async () => {
    const upstream = await openUpstream(50);
    const prefix = uniquePrefix('replicas');
    const starting = [1, 2, 3].map(() => openRegistry({ source: upstream.url, prefix }));
    const replicas = await Promise.all(starting);
    for (const replica of replicas) await until(() => skillsOf(replica), { holds: (count) => count === 50 });
    await untilStartIsOver(prefix, upstream.url);
    expect(upstream.requests).toHaveLength(1);
    const ids = await Promise.all(replicas.map(async (replica) => (await replica.status()).snapshot_id));
    expect(new Set(ids).size).toBe(1);
  });

  test('share one refresh each time, and switch together to a new snapshot', async () => {
    const upstream = await openUpstream(50);
    const prefix = uniquePrefix('replicas');
    const options = { source: upstream.url, prefix, refreshMs: 1_000, pollMs: 60_000 };
    const replicas = [await openRegistry(options), await openRegistry(options)];
    for (const replica of replicas) await until(() => skillsOf(replica), { holds: (count) => count === 50 });
    const before = upstream.requests.length;
    const began = Date.now();
    await until(async () => upstream.requests.length - before, { holds: (asked) => asked >= 3 });
    // Two that do not share would have asked twice as often.
    expect(upstream.requests.length - before).toBeLessThanOrEqual((Date.now() - began) / 1_000 + 2);
    upstream.serve(registryOf(60));
    const swaps = await Promise.all(
      replicas.map(async (replica) => {
        await until(() => skillsOf(replica), { holds: (count) => count === 60 });
        return Date.now();
      }),
    );
    // By polling alone it would take up to a minute.
    expect(Math.abs((swaps[0] ?? 0) - (swaps[1] ?? 0))).toBeLessThan(10_000);
    const etags = await Promise.all(replicas.map(async ({ http }) => (await http.get('/api/skills')).headers.etag));
    expect(new Set(etags).size).toBe(1);
  });

  test('find a new snapshot by polling where the message was lost', async () => {
    const upstream = await openUpstream(50);
    const prefix = uniquePrefix('replicas');
    const replica = await openRegistry({ source: upstream.url, prefix, pollMs: 100 });
    await until(() => skillsOf(replica), { holds: (count) => count === 50 });
    const other = await openUpstream(70);
    const elsewhere = await openRegistry({ source: other.url, prefix: uniquePrefix('replicas') });
    await until(() => skillsOf(elsewhere), { holds: (count) => count === 70 });
    const redis = new Redis(testRedisUrl());
    opened.push(() => redis.disconnect());
    const keyOf = async (of: string) => (await redis.keys(`${of}:{registry}:snapshot:*`))[0] ?? '';
    await redis.copy(await keyOf(elsewhere.prefix), await keyOf(prefix), 'REPLACE');
    await until(() => skillsOf(replica), { holds: (count) => count === 70 });
  });

  test('leave bounded traces in Redis', async () => {
    const upstream = await openUpstream(5);
    const registry = await openRegistry({ source: upstream.url, refreshMs: 20 });
    await until(async () => upstream.requests.length, { holds: (count) => count > 80, timeoutMs: 20_000 });
    const redis = new Redis(testRedisUrl());
    opened.push(() => redis.disconnect());
    const keys = await redis.keys(`${registry.prefix}:*`);
    expect(keys.length).toBeLessThan(60);
    expect(keys.filter((key) => !key.startsWith(`${registry.prefix}:{registry}:`))).toEqual([]);
    const events = keys.find((key) => key.endsWith(':events')) ?? '';
    expect(await redis.xlen(events)).toBeLessThan(250);
    for (const kind of ['snapshot', 'check']) {
      const key = keys.find((name) => name.includes(`:${kind}:`)) ?? '';
      expect(await redis.ttl(key)).toBeGreaterThan(29 * 86_400);
    }
  });
});

describe('a restart with upstream away', () => {
  test('finds all that was ever served: a snapshot is in Redis before it is served', async () => {
    const { url: redisUrl } = await openRedis();
    const redis = new Redis(redisUrl);
    opened.push(() => redis.disconnect());
    const upstream = await openUpstream(50);
    const registry = await openRegistry({ source: upstream.url, redisUrl, refreshMs: 500 });
    await until(() => skillsOf(registry), { holds: (count) => count === 50 });
    upstream.answer = async (_req, res) => {
      await redis.call('CLIENT', 'PAUSE', '1000', 'WRITE');
      send(res, 200, JSON.stringify(registryOf(60)));
    };
    await until(() => skillsOf(registry), { holds: (count) => count === 60 });
    const [key = ''] = await redis.keys('*:snapshot:*');
    const stored = JSON.parse((await redis.hget(key, 'meta')) ?? '{}');
    expect(stored.id).toBe((await registry.status()).snapshot_id);
  });
});

describe('while Redis is unavailable', () => {
  test('the service starts, serves and refreshes by itself; when Redis is back it gets the snapshot', async () => {
    const redis = await openRedis();
    await redis.kill();
    const upstream = await openUpstream(50);
    const registry = await openRegistry({ source: upstream.url, redisUrl: redis.url, refreshMs: 500, pollMs: 200 });
    await registry.http.get('/ready').expect(200);
    await until(() => skillsOf(registry), { holds: (count) => count === 50 });
    await redis.restart();
    const client = new Redis(redis.url);
    opened.push(() => client.disconnect());
    await until(() => client.keys('*:snapshot:*'), { holds: (keys) => keys.length === 1 });
    const other = await openRegistry({ source: upstream.url, redisUrl: redis.url, prefix: registry.prefix });
    expect(await skillsOf(other)).toBe(50);
  });

  test('requests are answered when it goes, and refreshes go on when it comes back, even empty', async () => {
    const redis = await openRedis();
    const upstream = await openUpstream(50);
    const registry = await openRegistry({ source: upstream.url, redisUrl: redis.url, refreshMs: 500, pollMs: 200 });
    await until(() => skillsOf(registry), { holds: (count) => count === 50 });
    await redis.kill();
    await registry.http.get('/api/skills').expect(200);
    await registry.http.get('/ready').expect(200);
    upstream.serve(registryOf(60));
    await until(() => skillsOf(registry), { holds: (count) => count === 60 });
    await redis.restart();
    const client = new Redis(redis.url);
    opened.push(() => client.disconnect());
    await client.flushall();
    upstream.serve(registryOf(70));
    await until(() => skillsOf(registry), { holds: (count) => count === 70 });
    expect(await until(registry.status, { holds: ({ stale }) => !stale })).toMatchObject({ last_error: null });
  });
});

describe('on a Redis Cluster', () => {
  test('one replica fetches and the other serves what it stored', async () => {
    const cluster = await startTestCluster();
    opened.push(() => cluster.close());
    const upstream = await openUpstream(50);
    const options = { source: upstream.url, redisUrl: cluster.url, prefix: uniquePrefix('cluster'), refreshMs: 500 };
    const replicas = [await openRegistry(options), await openRegistry(options)];
    for (const replica of replicas) await until(() => skillsOf(replica), { holds: (count) => count === 50 });
    upstream.serve(registryOf(60));
    for (const replica of replicas) await until(() => skillsOf(replica), { holds: (count) => count === 60 });
  });
});
