import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryOf, send } from './support/fake-upstream.ts';
import { openRegistry, openServing, openUpstream, untilSkills } from './support/open-registry.ts';
import { openRedis } from './support/opened.ts';

async function openRedisServer() {
  const redis = await startTestRedis();
  own(() => redis.close());
  return redis;
}

test('a replica finds a new snapshot by polling if the message is lost', async () => {
  const { registry } = await openServing(50, { pollMs: 100 });
  const other = await openServing(70);
  const redis = openRedis();
  const keyOf = async (prefix: string) => (await redis.keys(`${prefix}:{registry}:snapshot:*`))[0] ?? '';
  await redis.copy(await keyOf(other.registry.prefix), await keyOf(registry.prefix), 'REPLACE');
  await untilSkills(registry, 70);
});

test('a registry leaves a bounded number of keys and events in Redis', async () => {
  const upstream = await openUpstream(5);
  const registry = await openRegistry({ source: upstream.url, refreshMs: 20 });
  await until(async () => upstream.requests.length, { holds: (count) => count > 80 });
  const redis = openRedis();
  const keys = await redis.keys(`${registry.prefix}:*`);
  expect(keys.length).toBeLessThan(60);
  expect(keys.filter((key) => !key.startsWith(`${registry.prefix}:{registry}:`))).toEqual([]);
  expect(await redis.xlen(keys.find((key) => key.endsWith(':events')) ?? '')).toBeLessThan(250);
  for (const kind of ['snapshot', 'check']) {
    const key = keys.find((name) => name.includes(`:${kind}:`)) ?? '';
    expect(await redis.ttl(key)).toBeGreaterThan(29 * 86_400);
  }
});

test('a snapshot is stored in Redis before it is served', async () => {
  const { url: redisUrl } = await openRedisServer();
  const redis = openRedis(redisUrl);
  const { upstream, registry } = await openServing(50, { redisUrl, refreshMs: 500 });
  upstream.answer = async (_req, res) => {
    await redis.call('CLIENT', 'PAUSE', '1000', 'WRITE');
    send(res, 200, JSON.stringify(registryOf(60)));
  };
  await untilSkills(registry, 60);
  const [key = ''] = await redis.keys('*:snapshot:*');
  const stored = JSON.parse((await redis.hget(key, 'meta')) ?? '{}');
  expect(stored.id).toBe((await registry.status()).snapshot_id);
});

test('the service starts, serves and refreshes without Redis, and stores its snapshot once Redis is back', async () => {
  const redis = await openRedisServer();
  await redis.kill();
  const { upstream, registry } = await openServing(50, { redisUrl: redis.url, refreshMs: 500, pollMs: 200 });
  await registry.http.get('/ready').expect(200);
  await redis.restart();
  const client = openRedis(redis.url);
  await until(() => client.keys('*:snapshot:*'), { holds: (keys) => keys.length === 1 });
  const other = await openRegistry({ source: upstream.url, redisUrl: redis.url, prefix: registry.prefix });
  expect((await other.status()).counts.skills).toBe(50);
});

test('requests succeed while Redis is unavailable, and refreshes continue when it is back, even empty', async () => {
  const redis = await openRedisServer();
  const { upstream, registry } = await openServing(50, { redisUrl: redis.url, refreshMs: 500, pollMs: 200 });
  await redis.kill();
  await registry.http.get('/api/skills').expect(200);
  await registry.http.get('/ready').expect(200);
  upstream.serve(registryOf(60));
  await untilSkills(registry, 60);
  await redis.restart();
  await openRedis(redis.url).flushall();
  upstream.serve(registryOf(70));
  await untilSkills(registry, 70);
  expect(await until(registry.status, { holds: ({ stale }) => !stale })).toMatchObject({ last_error: null });
});
