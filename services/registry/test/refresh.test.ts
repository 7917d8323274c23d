import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeUpstream, fails, registryOf, send, startUpstream } from './fake-upstream.ts';
import { openRegistry, openServing, openUpstream, untilSkills } from './open-registry.ts';
import { openFolder } from './opened.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

let upstream: FakeUpstream;
let registry: StartedRegistry;

beforeAll(async () => {
  upstream = await startUpstream(registryOf(40));
  registry = await startRegistry({ source: upstream.url, limits: { maxBytes: 200_000 } });
});
afterAll(async () => {
  await registry.close();
  await upstream.close();
});

const good = JSON.stringify(registryOf(40));
const mostlyBad = JSON.stringify([...registryOf(40).skills, ...new Array(11).fill(null)]);
const bomb = gzipSync(Buffer.alloc(20_000_000));
test.each<[string, string, (res: ServerResponse) => void]>([
  ['breaks off', 'truncated', (res) => res.writeHead(200, { 'content-length': 99 }).write('[', () => res.destroy())],
  ['closes the connection', 'unreachable', (res) => res.destroy()],
  ['answers 500', 'http_status', (res) => send(res, 500, '{}')],
  ['answers 429', 'rate_limited', (res) => send(res, 429, '{}')],
  ['answers a web page', 'html', (res) => send(res, 200, '<!doctype html>502 Bad Gateway')],
  ['answers JSON that breaks off', 'not_json', (res) => send(res, 200, good.slice(0, -9))],
  ['answers nothing', 'empty', (res) => send(res, 200, ' \n')],
  ['answers other JSON', 'unknown_shape', (res) => send(res, 200, '{"message":"moved"}')],
  ['has no skills any more', 'shrunk', (res) => send(res, 200, '{"skills":[]}')],
  ['has lost more than half', 'shrunk', (res) => send(res, 200, JSON.stringify(registryOf(19)))],
  ['has more than a fifth of bad records', 'mostly_rejected', (res) => send(res, 200, mostlyBad)],
  ['redirects in a circle', 'redirect', (res) => res.writeHead(302, { location: '/registry.json' }).end()],
  ['sends a gzip bomb', 'too_large', (res) => send(res, 200, bomb, { 'content-encoding': 'gzip' })],
])('an upstream that %s leaves the last good snapshot, and the status reports %s', async (_how, code, answer) => {
  upstream.serve(registryOf(40));
  await registry.refresh();
  const before = await registry.status();
  expect(before).toMatchObject({ last_error: null, stale: false });
  upstream.answer = (_req, res) => answer(res);
  await registry.refresh();
  const status = await registry.status();
  expect(status).toMatchObject({ stale: true, source: upstream.url, counts: { skills: 40 }, last_error: { code } });
  expect(status.last_error?.message).toBeTruthy();
  expect(Date.parse(status.last_error?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(before.checked_at ?? ''));
  expect((await registry.http.get('/api/skills').expect(200)).body).toHaveLength(40);
});

test('an upstream that never answers leaves the last good snapshot, and the status reports timeout', async () => {
  const slow = await openServing(40, { refreshMs: 500, limits: { deadlineMs: 2_000 } });
  slow.upstream.answer = () => {};
  const status = await until(slow.registry.status, { holds: ({ last_error }) => last_error?.code === 'timeout' });
  expect(status).toMatchObject({ stale: true, counts: { skills: 40 } });
});

test('a refresh takes an upstream back once it works again', async () => {
  fails(upstream);
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ stale: true });
  upstream.serve(registryOf(60));
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ stale: false, last_error: null, counts: { skills: 60 } });
  expect((await registry.http.get('/api/skills/skill-59').expect(200)).body.name).toBe('skill-59');
});

test('an upstream may lose up to half of its skills', async () => {
  for (const count of [60, 30]) {
    upstream.serve(registryOf(count));
    await registry.refresh();
    expect((await registry.status()).counts.skills).toBe(count);
  }
});

test('an unchanged upstream is requested conditionally, and the snapshot, its time and its ETags stay', async () => {
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

test('the shipped file is served until the first good answer of upstream, however small that is', async () => {
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

test('a slow first answer does not delay the start', async () => {
  const silent = await openUpstream(0);
  silent.answer = () => {};
  const before = Date.now();
  const started = await openRegistry({ source: silent.url });
  // It waits 20 s for an answer.
  expect(Date.now() - before).toBeLessThan(15_000);
  expect((await started.status()).source).toBe('shipped');
});

test('another source serves nothing of the old one and is not refused as shrunk, and back again finds its snapshot', async () => {
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
