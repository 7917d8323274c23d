import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeUpstream, fails, registryOf, startUpstream } from './support/fake-upstream.ts';
import { FAULTS } from './support/faults.ts';
import { openRegistry, openServing, openUpstream, untilSkills } from './support/open-registry.ts';
import { openFolder } from './support/opened.ts';
import { type StartedRegistry, startRegistry } from './support/start-registry.ts';

const DAY_MS = 86_400_000;

/** One registry for all faults, with a clock that the tests set. */
const clock = { ms: Date.now() };
let shared: { upstream: FakeUpstream; registry: StartedRegistry };

beforeAll(async () => {
  const upstream = await startUpstream(registryOf(40));
  const limits = { maxBytes: 200_000 };
  shared = { upstream, registry: await startRegistry({ source: upstream.url, limits, now: () => clock.ms }) };
});
afterAll(async () => {
  await shared.registry.close();
  await shared.upstream.close();
});

test.each(FAULTS)('an upstream that %s leaves the last good snapshot, and the status reports %s', async (...fault) => {
  const [, code, answer] = fault;
  const { upstream, registry } = shared;
  clock.ms += DAY_MS;
  upstream.serve(registryOf(40));
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ last_error: null, stale: false });
  upstream.answer = answer;
  await registry.refresh();
  const status = await registry.status();
  const at = new Date(clock.ms).toISOString();
  const last_error = { code, at, message: expect.stringMatching(/./) };
  expect(status).toMatchObject({ stale: true, source: upstream.url, counts: { skills: 40 }, last_error });
  expect((await registry.http.get('/api/skills').expect(200)).body).toHaveLength(40);
});

test('an upstream that never responds leaves the last good snapshot, and the status reports timeout', async () => {
  const { upstream, registry } = await openServing(40, { refreshMs: 500, limits: { deadlineMs: 2_000 } });
  upstream.answer = () => {};
  const status = await until(registry.status, { holds: ({ last_error }) => last_error?.code === 'timeout' });
  expect(status).toMatchObject({ stale: true, counts: { skills: 40 } });
  upstream.serve(registryOf(41));
  await untilSkills(registry, 41);
});

test('an upstream may lose up to half of its skills', async () => {
  const { upstream, registry } = shared;
  clock.ms += DAY_MS;
  for (const count of [60, 30]) {
    upstream.serve(registryOf(count));
    await registry.refresh();
    expect((await registry.status()).counts.skills).toBe(count);
  }
});

test('an unchanged upstream is fetched conditionally, and leaves the snapshot, its time and its ETags', async () => {
  const unchanged = await openServing(10);
  const { status, http, refresh } = unchanged.registry;
  const first = await status();
  const { etag } = (await http.get('/api/skills')).headers;
  await refresh();
  const later = await status();
  expect(later.checked_at).not.toBe(first.checked_at);
  expect(unchanged.upstream.requests.at(-1)?.headers['if-none-match']).toBeTruthy();
  expect(later).toMatchObject({ snapshot_id: first.snapshot_id, fetched_at: first.fetched_at, stale: false });
  expect((await http.get('/api/skills')).headers.etag).toBe(etag);
});

test('the shipped file is served until the first good response of upstream of any size', async () => {
  const failing = await openUpstream(0);
  fails(failing);
  const { refresh, status } = await openRegistry({ source: failing.url });
  await refresh();
  const shipped = await status();
  expect(shipped).toMatchObject({ source: 'shipped', stale: true, last_error: { code: 'http_status' } });
  expect(shipped.counts.skills).toBeGreaterThanOrEqual(30);
  failing.serve(registryOf(2));
  await refresh();
  expect(await status()).toMatchObject({ source: failing.url, stale: false, last_error: null, counts: { skills: 2 } });
});

test('a slow first response does not delay the start', async () => {
  const silent = await openUpstream(0);
  silent.answer = () => {};
  const before = Date.now();
  const started = await openRegistry({ source: silent.url });
  // The fetch waits 20 s for a response.
  expect(Date.now() - before).toBeLessThan(15_000);
  expect((await started.status()).source).toBe('shipped');
});

test('a registry with another source serves only that, and finds its old snapshot when it returns to the first', async () => {
  const dataDir = openFolder();
  const large = await openServing(100, { dataDir });
  const { prefix } = large.registry;
  await large.registry.close();
  const small = await openServing(3, { prefix, dataDir });
  expect(await small.registry.status()).toMatchObject({ source: small.upstream.url, last_error: null });
  await small.registry.close();
  fails(large.upstream);
  const third = await openRegistry({ source: large.upstream.url, prefix, dataDir });
  expect(await third.status()).toMatchObject({ source: large.upstream.url, counts: { skills: 100 } });
});

test('a change of a local file is served from the next refresh on', async () => {
  const file = join(openFolder(), 'registry.json');
  writeFileSync(file, JSON.stringify(registryOf(5)));
  const local = await openRegistry({ source: pathToFileURL(file).href, refreshMs: 200 });
  expect((await local.status()).counts.skills).toBe(5);
  writeFileSync(file, JSON.stringify(registryOf(6)));
  await untilSkills(local, 6);
});
