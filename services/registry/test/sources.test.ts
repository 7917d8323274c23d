import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import { fails, registryOf, send } from './support/fake-upstream.ts';
import { openRegistry, openServing, openUpstream, untilSkills } from './support/open-registry.ts';
import { openLog } from './support/opened.ts';

const DAY_MS = 86_400_000;

/** Starts a registry with two sources, which serves the skills of both. */
async function openTwo(one: unknown[], two: unknown[], count = one.length + two.length) {
  const sources = [await openUpstream(0), await openUpstream(0)] as const;
  sources[0].serve(one);
  sources[1].serve(two);
  const registry = await openRegistry({ source: `${sources[0].url},${sources[1].url}` });
  await untilSkills(registry, count);
  return { one: sources[0], two: sources[1], registry };
}

const skillsOf = (count: number, prefix?: string) => registryOf(count, prefix).skills;

test('a skill of two sources is served once, with the names of both', async () => {
  const shared = {
    name: 'shared-skill',
    description: 'Stands in both.',
    source: { repo: 'owner/skills', path: 'shared' },
  };
  const { one, two, registry } = await openTwo(
    [...skillsOf(5, 'one'), { ...shared, stars: 1 }],
    [...skillsOf(7, 'two'), { ...shared, stars: 9, license: 'MIT' }],
    13,
  );
  const { body } = await registry.http.get('/api/skills?q=shared-skill').expect(200);
  expect(body[0]).toMatchObject({ name: 'shared-skill', stars: 9, license: 'MIT', registries: [one.url, two.url] });
  expect(await registry.status()).toMatchObject({
    source: `${one.url}, ${two.url}`,
    stale: false,
    duplicates: { count: 1, ids: [body[0].id] },
    sources: [
      { source: one.url, records: 6 },
      { source: two.url, records: 8 },
    ],
  });
  const raw = await registry.http.get(`/registry.json?source=${encodeURIComponent(two.url)}`).expect(200);
  expect(raw.body).toHaveLength(8);
  expect((await registry.http.get('/registry.json').expect(200)).body).toHaveLength(6);
  await registry.http.get('/registry.json?source=other').expect(400);
});

test.each([
  ['fails', 13, { last_error: { code: 'http_status' }, refused: null }],
  ['is refused', 13, { last_error: { code: 'shrunk' }, refused: { code: 'shrunk' } }],
])('a source that %s keeps its old records, and the other one is refreshed', async (how, skills, expected) => {
  const { one, two, registry } = await openTwo(skillsOf(5), skillsOf(7, 'two'));
  one.serve(registryOf(6));
  if (how === 'fails') fails(two);
  else two.serve(registryOf(1, 'two'));
  await registry.refresh();
  const status = await registry.status();
  expect(status).toMatchObject({ stale: true, counts: { skills }, last_error: expected.last_error });
  expect(status.sources).toMatchObject([{ last_error: null, refused: null }, expected]);
});

test('a source is not fetched before its Retry-After, nor while its last response is fresh', async () => {
  let clock = Date.now();
  const { upstream, registry } = await openServing(5, { now: () => clock, refreshMs: DAY_MS });
  const step = async (seconds: number) => {
    clock += seconds * 1_000;
    const before = upstream.requests.length;
    await registry.refresh();
    return upstream.requests.length - before;
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

test('a refused response is fetched again at the next refresh, even if it is still fresh', async () => {
  let clock = Date.now();
  const { upstream, registry } = await openServing(5, { now: () => clock, refreshMs: DAY_MS });
  upstream.answer = (_req, res) => send(res, 200, '<!doctype html>', { 'cache-control': 'max-age=3600' });
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ last_error: { code: 'html' } });
  upstream.serve(registryOf(6));
  clock += 60_000;
  await registry.refresh();
  expect(await registry.status()).toMatchObject({ last_error: null, counts: { skills: 6 } });
});

test('a refused document is checked once, and again only against another served snapshot', async () => {
  const { lines, logger } = openLog();
  const { upstream, registry } = await openServing(40, { logger });
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

test('the log and the status contain no secret of the URL of a source', async () => {
  const { lines, logger } = openLog();
  const upstream = await openUpstream(5);
  const source = upstream.url.replace('http://', 'http://user:QPASS@').concat('?token=QTOKEN');
  const registry = await openRegistry({ source, logger });
  await untilSkills(registry, 5);
  const answers: RequestListener[] = [
    (_req, res) => res.destroy(),
    (_req, res) => res.writeHead(200, { 'content-length': 99 }).write('[', () => res.destroy()),
    (_req, res) => send(res, 500, '{}'),
    (_req, res) => send(res, 200, '<html>'),
  ];
  for (const answer of answers) {
    upstream.answer = answer;
    await registry.refresh();
    lines.push(JSON.stringify(await registry.status()));
  }
  expect(lines.join()).toMatch(/failed to fetch a registry source/);
  expect(lines.join()).not.toMatch(/QPASS|QTOKEN/);
});

test('a listing of sources is served like its sources', async () => {
  const one = await openUpstream(2);
  one.serveFiles({
    '/registry.json': JSON.stringify(skillsOf(2, 'one')),
    '/more.json': JSON.stringify(skillsOf(3, 'two')),
    '/sources.json': JSON.stringify(['registry.json', 'more.json']),
  });
  const registry = await openRegistry({ source: new URL('sources.json', one.url).href });
  await untilSkills(registry, 5);
  const more = new URL('more.json', one.url).href;
  expect((await registry.status()).sources).toMatchObject([{ source: one.url }, { source: more }]);
  expect((await registry.http.get(`/registry.json?source=${encodeURIComponent(more)}`).expect(200)).body).toHaveLength(
    3,
  );
});

test('records that a source announces but does not send are missing in the status', async () => {
  const { upstream, registry } = await openServing(5);
  upstream.serve({ ...registryOf(5, 'page'), total: 12 });
  await registry.refresh();
  const incomplete = { code: 'incomplete', count: 7 };
  expect(await registry.status()).toMatchObject({
    last_error: null,
    sources: [{ records: 5, missing: 7 }],
    warnings: expect.arrayContaining([incomplete]),
  });
  const files = { '/registry.json': { totalSkills: 5, chunks: ['a.json'] }, '/a.json': registryOf(4, 'page').skills };
  upstream.serveFiles(Object.fromEntries(Object.entries(files).map(([path, json]) => [path, JSON.stringify(json)])));
  await registry.refresh();
  expect((await registry.status()).sources).toMatchObject([{ records: 4, missing: 1 }]);
  expect((await registry.http.get('/registry.json').expect(200)).text).toBe(JSON.stringify(files['/registry.json']));
});

test('records of other kinds than skills and plugins are listed only on request', async () => {
  const { upstream, registry } = await openServing(1);
  const named = (name: string) => [{ name, description: 'Text.' }];
  upstream.serve({
    skills: named('s'),
    plugins: named('p'),
    mcps: named('m'),
    agents: named('a'),
    commands: [{ ...named('c')[0], type: 'slash-command' }],
  });
  await registry.refresh();
  const names = async (query: string) => {
    const { body } = await registry.http.get(`/api/skills${query}`).expect(200);
    return body.map(({ name }: { name: string }) => name);
  };
  expect(await names('')).toEqual(['p', 's']);
  expect(await names('?kind=mcp')).toEqual(['m']);
  expect(await names('?kind=agents,slash-commands')).toEqual(['a', 'c']);
  await registry.http.get('/api/skills?kind=theme').expect(400);
});
