import { own } from '@agent-fleet/scripts/testing/own';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryKeys } from '../src/keys.ts';
import { registryOf } from './support/fake-upstream.ts';
import { keyOfSources, openRegistry, openServing, openStore, untilSkills } from './support/open-registry.ts';
import { openRedis } from './support/opened.ts';

test('no replica serves a new snapshot before every live replica is ready for it', async () => {
  const { upstream, registry } = await openServing(50);
  const other = await openStore(registry.prefix, keyOfSources(upstream.url));
  await other.announceAlive();
  const living = setInterval(() => void other.announceAlive(), 500);
  own(() => clearInterval(living));

  upstream.serve(registryOf(60));
  let isDone = false;
  const refreshed = registry.refresh().then(() => {
    isDone = true;
  });
  const { staged } = await until(() => other.readState(), { holds: (state) => state.staged !== undefined });
  // Long enough for many checks of the ready replicas.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(isDone).toBe(false);
  expect((await registry.status()).counts.skills).toBe(50);
  if (staged) await other.announceReady(staged);
  await refreshed;
  expect(await registry.status()).toMatchObject({ snapshot_id: staged?.id, counts: { skills: 60 } });
});

test('a replica says again that it is ready if Redis has refused that', async () => {
  const redis = openRedis();
  const { upstream, registry } = await openServing(50);
  const { prefix } = registry;
  await redis.call('ACL', 'SETUSER', prefix, 'on', '>x', '~*', '&*', '+@all', '-sadd');
  own(() => redis.call('ACL', 'DELUSER', prefix));
  const redisUrl = Object.assign(new URL(testRedisUrl()), { username: prefix, password: 'x' }).href;
  const other = await openRegistry({ source: upstream.url, prefix, redisUrl });

  upstream.serve(registryOf(60));
  const refreshed = registry.refresh();
  await until(async () => String(await redis.call('ACL', 'LOG')).includes(prefix), { message: 'Redis has refused it' });
  expect((await registry.status()).counts.skills).toBe(50);
  await redis.call('ACL', 'SETUSER', prefix, '+sadd');
  // Alone, the other would switch after a minute.
  await untilSkills(registry, 60, 25_000);
  await refreshed;
  await untilSkills(other, 60);
});

test('a replica serves a new snapshot alone if Redis responds with errors', async () => {
  const { upstream, registry } = await openServing(50);
  await openRedis().set(registryKeys(registry.prefix, keyOfSources(upstream.url)).replicas, 'no sorted set');
  upstream.serve(registryOf(60));
  await registry.refresh();
  expect((await registry.status()).counts.skills).toBe(60);
});
