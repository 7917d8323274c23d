import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeUpstream, registryOf, send, startUpstream } from './fake-upstream.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const skillsOf = async (registry: StartedRegistry) => (await registry.status()).counts.skills;

describe('an upstream that fails', () => {
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

  const html = '<!doctype html><html><body>502 Bad Gateway</body></html>';
  const good = JSON.stringify(registryOf(40));
  const mostlyBad = [...registryOf(40).skills, ...new Array(11).fill(null)];
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const cases: [string, string, (res: ServerResponse) => void][] = [
    ['breaks off', 'truncated', (res) => res.writeHead(200, { 'content-length': 99 }).write('[', () => res.destroy())],
    ['closes the connection', 'unreachable', (res) => res.destroy()],
    ['answers 500', 'http_status', (res) => send(res, 500, '{}')],
    ['answers 429', 'rate_limited', (res) => send(res, 429, '{}')],
    ['answers a web page', 'html', (res) => send(res, 200, html)],
    ['answers JSON that breaks off', 'not_json', (res) => send(res, 200, good.slice(0, -9))],
    ['answers nothing', 'empty', (res) => send(res, 200, ' \n')],
    ['answers other JSON', 'unknown_shape', (res) => send(res, 200, '{"message":"moved"}')],
    ['has no skills any more', 'shrunk', (res) => send(res, 200, '{"skills":[]}')],
    ['has lost more than half', 'shrunk', (res) => send(res, 200, JSON.stringify(registryOf(19)))],
    ['has more than a fifth of bad records', 'mostly_rejected', (res) => send(res, 200, JSON.stringify(mostlyBad))],
    ['redirects in a circle', 'redirect', (res) => res.writeHead(302, { location: '/registry.json' }).end()],
    ['sends a gzip bomb', 'too_large', (res) => send(res, 200, bomb, { 'content-encoding': 'gzip' })],
  ];

  test.each(cases)(
    'because it %s (%s) leaves the last good snapshot, and the status says why',
    async (_how, code, answer) => {
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
    },
  );

  test('because it never answers (timeout) leaves the last good snapshot, too', async () => {
    const slow = await startUpstream(registryOf(40));
    const impatient = await startRegistry({ source: slow.url, refreshMs: 500, limits: { deadlineMs: 2_000 } });
    await until(() => skillsOf(impatient), { holds: (count) => count === 40 });
    slow.answer = () => {};
    const status = await until(impatient.status, { holds: ({ last_error }) => last_error?.code === 'timeout' });
    expect(status).toMatchObject({ stale: true, counts: { skills: 40 } });
    await impatient.close();
    await slow.close();
  });

  test('is taken back once it is well', async () => {
    upstream.answer = (_req, res) => send(res, 500, '{}');
    await registry.refresh();
    expect(await registry.status()).toMatchObject({ stale: true });
    upstream.serve(registryOf(60));
    await registry.refresh();
    expect(await registry.status()).toMatchObject({ stale: false, last_error: null, counts: { skills: 60 } });
    expect((await registry.http.get('/api/skills/skill-59').expect(200)).body.name).toBe('skill-59');
  });

  test('may lose up to half of its skills', async () => {
    upstream.serve(registryOf(60));
    await registry.refresh();
    expect(await skillsOf(registry)).toBe(60);
    upstream.serve(registryOf(30));
    await registry.refresh();
    expect(await skillsOf(registry)).toBe(30);
  });
});

describe('an upstream that does not change', () => {
  test('is asked conditionally; the snapshot, its time and its ETags stay', async () => {
    const upstream = await startUpstream(registryOf(10));
    const registry = await startRegistry({ source: upstream.url });
    const first = await until(registry.status, { holds: ({ source }) => source === upstream.url });
    const { etag } = (await registry.http.get('/api/skills')).headers;
    await registry.refresh();
    const later = await registry.status();
    expect(later.checked_at).not.toBe(first.checked_at);
    expect(upstream.requests.at(-1)?.headers['if-none-match']).toBeTruthy();
    expect(later).toMatchObject({ snapshot_id: first.snapshot_id, fetched_at: first.fetched_at, stale: false });
    expect((await registry.http.get('/api/skills')).headers.etag).toBe(etag);
    await registry.close();
    await upstream.close();
  });
});

describe('before an upstream has ever answered', () => {
  test('the shipped file is served and the status says so; its first answer takes over, however small', async () => {
    const upstream = await startUpstream();
    upstream.answer = (_req, res) => send(res, 503, '{}');
    const registry = await startRegistry({ source: upstream.url });
    await registry.refresh();
    const status = await registry.status();
    expect(status).toMatchObject({ source: 'shipped', stale: true, last_error: { code: 'http_status' } });
    expect(status.counts.skills).toBeGreaterThanOrEqual(30);
    upstream.serve(registryOf(2));
    await registry.refresh();
    expect(await skillsOf(registry)).toBe(2);
    expect(await registry.status()).toMatchObject({ source: upstream.url, stale: false, last_error: null });
    await registry.close();
    await upstream.close();
  });

  test('a slow first answer does not hold up the start', async () => {
    const upstream = await startUpstream();
    upstream.answer = () => {};
    const before = Date.now();
    const registry = await startRegistry({ source: upstream.url });
    // It waits 20 s for an answer.
    expect(Date.now() - before).toBeLessThan(15_000);
    expect((await registry.status()).source).toBe('shipped');
    await registry.close();
    await upstream.close();
  });
});

describe('a change of the source', () => {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <Thing extends { close(): Promise<void> }>(thing: Thing) => {
    opened.unshift(thing);
    return thing;
  };
  afterEach(async () => {
    for (const thing of opened.splice(0)) await thing.close();
  });

  test('serves nothing of the old one, is not taken for a loss, and back again finds its snapshot', async () => {
    const large = keep(await startUpstream(registryOf(100, 'large')));
    const small = keep(await startUpstream(registryOf(3, 'small')));
    const dataDir = mkdtempSync(join(tmpdir(), 'fleet-data-'));
    const first = await startRegistry({ source: large.url, dataDir });
    await until(() => skillsOf(first), { holds: (count) => count === 100 });
    await first.close();
    const second = await startRegistry({ source: small.url, prefix: first.prefix, dataDir });
    await until(() => skillsOf(second), { holds: (count) => count === 3 });
    expect(await second.status()).toMatchObject({ source: small.url, last_error: null });
    await second.close();
    large.answer = (_req, res) => send(res, 500, '{}');
    const third = keep(await startRegistry({ source: large.url, prefix: first.prefix, dataDir }));
    expect(await third.status()).toMatchObject({ source: large.url, counts: { skills: 100 } });
    rmSync(dataDir, { recursive: true });
  });

  test('within a file is seen at the next refresh', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-file-'));
    const file = join(folder, 'registry.json');
    writeFileSync(file, JSON.stringify(registryOf(5)));
    const registry = keep(await startRegistry({ source: pathToFileURL(file).href, refreshMs: 200 }));
    expect(await skillsOf(registry)).toBe(5);
    writeFileSync(file, JSON.stringify(registryOf(6)));
    await until(() => skillsOf(registry), { holds: (count) => count === 6 });
    rmSync(folder, { recursive: true });
  });
});
