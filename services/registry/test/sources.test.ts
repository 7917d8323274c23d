import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { createLogger } from '@agent-fleet/shared/logger';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { fails, registryOf, send } from './fake-upstream.ts';
import { openRegistry, openUpstream } from './opened.ts';
import type { StartedRegistry } from './start-registry.ts';

const skillsOf = async (registry: StartedRegistry) => (await registry.status()).counts.skills;
const untilCount = (registry: StartedRegistry, count: number) =>
  until(() => skillsOf(registry), { holds: (found) => found === count });

const shared = {
  name: 'shared-skill',
  description: 'Stands in both registries.',
  source: { repo: 'owner/skills', path: 'shared' },
};

describe('several sources', () => {
  test('make one index, in which a skill of both is one that names both', async () => {
    const [one, two] = [await openUpstream(0), await openUpstream(0)];
    one.serve([...registryOf(5, 'one').skills, { ...shared, stars: 1 }]);
    two.serve([...registryOf(7, 'two').skills, { ...shared, stars: 9, license: 'MIT' }]);
    const registry = await openRegistry({ source: `${one.url},${two.url}` });
    await untilCount(registry, 13);
    const { body } = await registry.http.get('/api/skills?q=shared-skill').expect(200);
    expect(body[0]).toMatchObject({ name: 'shared-skill', stars: 9, license: 'MIT', registries: [one.url, two.url] });
    const status = await registry.status();
    expect(status).toMatchObject({ source: `${one.url}, ${two.url}`, stale: false });
    expect(status.duplicates).toEqual({ count: 1, ids: [body[0].id] });
    expect(status.sources.map(({ source, records }) => [source, records])).toEqual([
      [one.url, 6],
      [two.url, 8],
    ]);
    const raw = await registry.http.get(`/registry.json?source=${encodeURIComponent(two.url)}`).expect(200);
    expect(raw.body).toHaveLength(8);
    expect((await registry.http.get('/registry.json').expect(200)).body).toHaveLength(6);
    await registry.http.get('/registry.json?source=other').expect(400);
  });

  test('do not wait for one that fails: what it gave before stays, and the status names it', async () => {
    const [one, two] = [await openUpstream(5), await openUpstream(0)];
    two.serve(registryOf(7, 'two'));
    const registry = await openRegistry({ source: `${one.url} ${two.url}` });
    await untilCount(registry, 12);
    fails(two);
    one.serve(registryOf(6));
    await registry.refresh();
    const status = await registry.status();
    expect(status).toMatchObject({ stale: true, counts: { skills: 13 }, last_error: { code: 'http_status' } });
    expect(status.sources.map(({ last_error }) => last_error?.code ?? null)).toEqual([null, 'http_status']);
  });

  test('of which one is refused keep its old records and take the new ones of the others', async () => {
    const [one, two] = [await openUpstream(10), await openUpstream(0)];
    two.serve(registryOf(10, 'two'));
    const registry = await openRegistry({ source: `${one.url},${two.url}` });
    await untilCount(registry, 20);
    one.serve(registryOf(2));
    two.serve(registryOf(11, 'two'));
    await registry.refresh();
    const status = await registry.status();
    expect(status.counts.skills).toBe(21);
    expect(status.sources.map(({ refused }) => refused?.code ?? null)).toEqual(['shrunk', null]);
  });
});

describe('what a source says of when to come again', () => {
  test('is kept to: Retry-After, and how long its answer is fresh', async () => {
    let clock = Date.now();
    const upstream = await openUpstream(5);
    const registry = await openRegistry({ source: upstream.url, now: () => clock, refreshMs: 86_400_000 });
    await untilCount(registry, 5);
    const asked = () => upstream.requests.length;
    const step = async (seconds: number) => {
      clock += seconds * 1_000;
      const before = asked();
      await registry.refresh();
      return asked() - before;
    };
    upstream.answer = (_req, res) => send(res, 429, '{}', { 'retry-after': '600' });
    expect(await step(300)).toBe(1);
    const status = await registry.status();
    expect(status).toMatchObject({ last_error: { code: 'rate_limited' }, stale: true });
    expect(Date.parse(status.sources[0]?.next_check_at ?? '')).toBe(clock + 600_000);
    expect(await step(300)).toBe(0);
    expect(await step(299)).toBe(0);
    upstream.answer = (_req, res) => {
      send(res, 200, JSON.stringify(registryOf(6)), { 'cache-control': 'max-age=900', age: '300' });
    };
    expect(await step(2)).toBe(1);
    expect(await registry.status()).toMatchObject({ counts: { skills: 6 }, last_error: null, stale: false });
    expect(await step(590)).toBe(0);
    expect(await step(20)).toBe(1);
  });
});

describe('a source that sends what is refused', () => {
  const html = '<!doctype html><title>Maintenance</title>';

  test('is asked again at the next refresh, however long its answer may be kept', async () => {
    let clock = Date.now();
    const upstream = await openUpstream(5);
    const registry = await openRegistry({ source: upstream.url, now: () => clock, refreshMs: 86_400_000 });
    await untilCount(registry, 5);
    upstream.answer = (_req, res) => send(res, 200, html, { 'cache-control': 'max-age=3600' });
    await registry.refresh();
    expect(await registry.status()).toMatchObject({ last_error: { code: 'html' } });
    upstream.serve(registryOf(6));
    clock += 60_000;
    await registry.refresh();
    expect(await registry.status()).toMatchObject({ last_error: null, counts: { skills: 6 } });
  });

  test('now and then is judged once, and again only against what is served by then', async () => {
    const lines: string[] = [];
    const upstream = await openUpstream(40);
    const registry = await openRegistry({
      source: upstream.url,
      logger: createLogger('test', 'debug', linesTo(lines)),
    });
    await untilCount(registry, 40);
    const judged = () => lines.filter((line) => line.includes('refused a new snapshot')).length;
    for (const skills of [19, 40, 19, 18, 19]) {
      upstream.serve(registryOf(skills));
      await registry.refresh();
      const [source] = (await registry.status()).sources;
      expect(source?.refused?.code ?? null).toBe(skills === 40 ? null : 'shrunk');
    }
    expect(judged()).toBe(2);
    for (const skills of [30, 19]) {
      upstream.serve(registryOf(skills));
      await registry.refresh();
      expect(await registry.status()).toMatchObject({ last_error: null, counts: { skills } });
    }
    expect(judged()).toBe(2);
  });
});

/** Takes the lines of a log. */
function linesTo(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}

test('a secret in the address of a source is nowhere in the log or the status', async () => {
  const lines: string[] = [];
  const upstream = await openUpstream(5);
  const address = upstream.url.replace('http://', 'http://user:QPASS@').concat('?token=QTOKEN');
  const registry = await openRegistry({ source: address, logger: createLogger('test', 'debug', linesTo(lines)) });
  await untilCount(registry, 5);
  for (const answer of [
    (_req: unknown, res: ServerResponse) => res.destroy(),
    (_req: unknown, res: ServerResponse) =>
      res.writeHead(200, { 'content-length': 99 }).write('[', () => res.destroy()),
    (_req: unknown, res: ServerResponse) => send(res, 500, '{}'),
    (_req: unknown, res: ServerResponse) => send(res, 200, '<html>'),
  ]) {
    upstream.answer = answer;
    await registry.refresh();
    lines.push(JSON.stringify(await registry.status()));
  }
  expect(lines.join()).toMatch(/failed to fetch a registry source/);
  expect(lines.join()).not.toMatch(/QPASS|QTOKEN/);
});

describe('a registry that has moved to shards', () => {
  const shards = [
    registryOf(4, 'a').skills,
    { schema_version: 1, skills: registryOf(5, 'b').skills },
    registryOf(6, 'c').skills,
  ];

  test('is served whole, and only shards that have changed are fetched again', async () => {
    const upstream = await openUpstream(0);
    upstream.serveShards(shards);
    const registry = await openRegistry({ source: upstream.url });
    await untilCount(registry, 15);
    const pointer = await registry.http.get('/registry.json').expect(200);
    expect(pointer.body).toMatchObject({ manifest: 'registry-manifest.json', total_count: 15 });
    upstream.serveShards([...shards.slice(0, 2), registryOf(7, 'c').skills]);
    const before = upstream.requests.length;
    await registry.refresh();
    expect(await skillsOf(registry)).toBe(16);
    expect(upstream.requests.slice(before).filter(({ url }) => url.includes('shards')).length).toBe(1);
  });
});
