import { own } from '@agent-fleet/scripts/testing/own';
import { uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { registryKeys } from '../src/keys.ts';
import { fails, registryOf, send } from './support/fake-upstream.ts';
import {
  keyOfSources,
  openRegistry,
  openServing,
  openStore,
  openUpstream,
  untilSkills,
} from './support/open-registry.ts';
import { openFolder, openLog, openRedis } from './support/opened.ts';
import { untilStartIsOver } from './support/start-jobs.ts';

const HOUR_MS = 3_600_000;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('snapshots without documents in Redis are logged once each, and the one on disk is served until the next fetch', async () => {
  const upstream = await openUpstream(50);
  const dataDir = openFolder();
  const prefix = uniquePrefix('lost');
  const options = { source: upstream.url, prefix };
  const onDisk = await openRegistry({ ...options, dataDir });
  await untilSkills(onDisk, 50);
  await onDisk.close();
  upstream.answer = (_req, res) => {
    send(res, 200, JSON.stringify(registryOf(60)), { 'cache-control': 'max-age=3600' });
  };
  const inRedis = await openRegistry({ ...options, refreshMs: 500 });
  await untilSkills(inRedis, 60);
  await inRedis.close();
  const redis = openRedis();
  const key = registryKeys(prefix, keyOfSources(upstream.url)).snapshot;
  const fields = (await redis.hkeys(key)).filter((field) => field.startsWith('d:'));
  expect(await redis.hdel(key, ...fields)).toBe(1);
  const meta = JSON.parse((await redis.hget(key, 'meta')) ?? '');
  const staged = registryKeys(prefix, keyOfSources(upstream.url)).staged;
  await redis.hset(staged, 'meta', JSON.stringify({ ...meta, at: meta.at + 1 }));

  fails(upstream);
  const { lines, logger } = openLog();
  const registry = await openRegistry({ ...options, dataDir, logger, refreshMs: 1_000, pollMs: 50 });
  await untilSkills(registry, 50);
  // The response was fresh for an hour, but its snapshot is lost.
  await until(registry.status, { holds: ({ last_error }) => last_error?.code === 'http_status' });
  await wait(1_000);
  expect(lines.filter((line) => line.includes('failed to load the stored snapshot'))).toHaveLength(2);
  upstream.serve(registryOf(60));
  await untilSkills(registry, 60);
  const other = await openRegistry(options);
  expect((await other.status()).counts.skills).toBe(60);
});

test('a staged snapshot that Redis loses is served by the replica that staged it, and stored there later', async () => {
  const { upstream, registry } = await openServing(50, { pollMs: 200 });
  const sources = keyOfSources(upstream.url);
  const other = await openStore(registry.prefix, sources);
  await other.announceAlive();
  const living = setInterval(() => void other.announceAlive(), 500);
  own(() => clearInterval(living));
  upstream.serve(registryOf(60));
  const refreshed = registry.refresh();
  const { staged } = await until(() => other.readState(), { holds: (state) => state.staged !== undefined });
  await openRedis().del(registryKeys(registry.prefix, sources).staged);
  if (staged) await other.announceReady(staged);
  await refreshed;
  expect((await registry.status()).counts.skills).toBe(60);
  await until(() => other.readState(), { holds: ({ meta }) => meta?.id === staged?.id });
});

test('a snapshot of a later version stays in Redis, and is not overwritten at each poll', async () => {
  const { upstream, registry } = await openServing(50, { pollMs: 50 });
  const redis = openRedis();
  const key = registryKeys(registry.prefix, keyOfSources(upstream.url)).snapshot;
  await redis.config('SET', 'notify-keyspace-events', 'Kg');
  own(() => redis.config('SET', 'notify-keyspace-events', ''));
  const notified = openRedis();
  await notified.psubscribe(`__keyspace@*__:${registry.prefix}:{registry}:draft:*`);
  let tries = 0;
  // Each attempt writes a draft, and deletes what cannot replace the stored snapshot.
  notified.on('pmessage', (_pattern, _key, event) => {
    if (event === 'del') tries++;
  });
  const { at } = JSON.parse((await redis.hget(key, 'meta')) ?? '');
  const later = JSON.stringify({ id: 'later', at: at + 1, form: 2 });
  await redis.hset(key, 'meta', later);
  await until(async () => tries, { holds: (count) => count > 0 });
  await wait(3_000);
  // At once, after 2 s and after 6 s; without backoff there would be sixty attempts.
  expect(tries).toBeLessThan(10);
  expect(await redis.hget(key, 'meta')).toBe(later);
});

test('a check in the future, by a replica with a wrong clock, does not delay other replicas', async () => {
  const upstream = await openUpstream(50);
  const prefix = uniquePrefix('future');
  const first = await openRegistry({ source: upstream.url, prefix, now: () => Date.now() + HOUR_MS });
  await untilSkills(first, 50);
  const status = await until(first.status, { holds: ({ stale }) => !stale });
  expect(Date.parse(status.checked_at ?? '')).toBeGreaterThan(Date.now() + HOUR_MS / 2);
  await first.close();
  upstream.answer = (_req, res) => {
    send(res, 200, JSON.stringify(registryOf(60)), { 'cache-control': 'max-age=3600' });
  };
  const second = await openRegistry({ source: upstream.url, prefix, refreshMs: 1_000 });
  await untilSkills(second, 60);
  const { checked_at, stale } = await until(second.status, { holds: (now) => now.checked_at !== null });
  expect(Date.parse(checked_at ?? '')).toBeLessThan(Date.now() + HOUR_MS / 2);
  expect(stale).toBe(false);
});

test('a replica keeps its own check while the one in Redis is in the future, and uses a later one', async () => {
  const { upstream, registry } = await openServing(50, { pollMs: 25, refreshMs: 60_000 });
  await untilStartIsOver(registry.prefix, upstream.url);
  const before = await until(registry.status, { holds: ({ stale }) => !stale });
  const redis = openRedis();
  const key = registryKeys(registry.prefix, keyOfSources(upstream.url)).check;
  const json = await until(() => redis.get(key), { holds: (text) => text !== null });
  const writeCheck = async (laterMs: number) => {
    const check = JSON.parse(json ?? '');
    check.at += laterMs;
    for (const source of Object.values<{ at: number }>(check.sources)) source.at += laterMs;
    await redis.set(key, JSON.stringify(check));
  };
  await writeCheck(HOUR_MS);
  // Long enough for many polls.
  await wait(1_500);
  expect(await registry.status()).toMatchObject({ stale: false, checked_at: before.checked_at });
  await writeCheck(100);
  const after = await until(registry.status, { holds: ({ checked_at }) => checked_at !== before.checked_at });
  expect(Date.parse(after.checked_at ?? '') - Date.parse(before.checked_at ?? '')).toBe(100);
});
