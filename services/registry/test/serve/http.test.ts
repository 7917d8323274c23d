import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FakeUpstream, startUpstream } from '../support/fake-upstream.ts';
import { openRegistry, untilSkills } from '../support/open-registry.ts';
import { type StartedRegistry, startRegistry } from '../support/start-registry.ts';

const COUNT = 3_000;
const DAY_MS = 86_400_000;

const skills = Array.from({ length: COUNT }, (_, at) => ({
  id: `skill-${at}`,
  name: at % 10 === 0 ? `Skill ${at}` : `skill-${at}`,
  ...(at === 7 && { display_name: 'Seventh Wonder' }),
  description: `Is skill number ${at}.`,
  category: at % 2 ? 'odd' : 'even',
  tags: ['test', `tag-${at % 7}`],
  author: at % 3 ? 'Tester' : 'Other',
  repo: `owner/repo-${at % 5}`,
  license: at % 4 ? 'MIT' : 'Apache-2.0',
  stars: at,
  updated_at: new Date(Date.UTC(2026, 0, 1) + at * DAY_MS).toISOString(),
}));

let upstream: FakeUpstream;
let registry: StartedRegistry;

beforeAll(async () => {
  upstream = await startUpstream({ skills });
  registry = await startRegistry({ source: upstream.url });
  await untilSkills(registry, COUNT);
});
afterAll(async () => {
  await registry.close();
  await upstream.close();
});

const get = (path: string) => registry.http.get(path).expect(200);
const list = (query: string) => get(`/api/skills?${query}`);
/** The body as sent: superagent would decompress it. */
async function getRaw(path: string, headers: Record<string, string>, method = 'GET') {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(registry.url + path, { headers, method, agent: false }, resolve);
    sent.on('error', reject).end();
  });
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(await res.toArray()) };
}

test.each([
  ['repo=OWNER/repo-1', 600],
  ['license=mit', 2_250],
  ['valid=true&license=apache-2.0', 600],
  ['updated_since=2026-01-11', COUNT - 10],
  ['updated_since=2026-01-11T00:00:00.001Z', COUNT - 11],
])('the list filtered by %s has %i skills', async (query, count) => {
  expect((await list(`${query}&limit=1`)).headers['x-total-count']).toBe(String(count));
});

test('a page has the requested order and fields, and facets over all matches', async () => {
  const query = 'author=other&sort=stars&order=asc&fields=stars&limit=2';
  const { body } = await get(`/api/catalogue?${query}&facets=license,valid`);
  expect(body.total).toBe(1_000);
  expect(body.skills).toEqual([
    { id: 'skill-0', stars: 0 },
    { id: 'skill-3', stars: 3 },
  ]);
  expect(body.facets.license).toEqual([
    { value: 'MIT', count: 750 },
    { value: 'Apache-2.0', count: 250 },
  ]);
  expect(Object.keys(body.facets).sort()).toEqual(['license', 'valid']);
  expect((await list(`${query}&facets=tag`)).body).toEqual(body.skills);
});

test('pages of the catalogue visit each skill of the list once, by default a hundred at a time, also from skip', async () => {
  const ids: string[] = [];
  for (let query = 'skip=3'; query !== ''; ) {
    const { body } = await get(`/api/catalogue?sort=stars&order=asc&license=MIT&${query}`);
    expect([body.total, body.facets, body.skills.length]).toEqual([2_250, {}, Math.min(100, 2_247 - ids.length)]);
    ids.push(...body.skills.map(({ id }: { id: string }) => id));
    query = body.next_cursor === null ? '' : `cursor=${body.next_cursor}`;
  }
  expect(ids).toEqual(skills.flatMap(({ id, license }) => (license === 'MIT' ? [id] : [])).slice(3));
});

test('the catalogue has another entity tag for other skills, fields, facets and totals', async () => {
  const queries = ['', 'fields=id', 'fields=name', 'facets=tag', 'facets=category', 'tag=tag-1', 'skip=1', 'limit=3'];
  const tagOf = async (query: string) =>
    (await get(`/api/catalogue?limit=2&${query.replace('limit', 'skip')}`)).headers.etag;
  expect(new Set(await Promise.all(queries.map(tagOf))).size).toBe(queries.length);
});

test('a short page is sent uncompressed, and unknown parameters are ignored', async () => {
  const { headers } = await getRaw('/api/skills?limit=1&colour=red&__proto__=1', { 'accept-encoding': 'br, gzip' });
  expect(headers['content-encoding']).toBeUndefined();
});

test('the status is not stored by caches', async () => {
  expect((await get('/api/registry/status')).headers['cache-control']).toBe('no-store');
});

test('a registry with an internal token refuses requests without it, except for readiness', async () => {
  const internalToken = 'an-internal-token-of-tests';
  const { http } = await openRegistry({ internalToken });
  for (const path of ['/api/skills', '/openapi.json']) {
    expect((await http.get(path).expect(403)).body.error).toBe('forbidden');
    await http.get(path).set('x-fleet-internal-token', internalToken).expect(200);
  }
  await http.get('/ready').expect(200);
});

test('links with a cursor visit each skill of the list once, by default a hundred at a time', async () => {
  const ids: string[] = [];
  let path: string | undefined = '/api/skills?sort=stars&order=asc&license=MIT&cursor=';
  while (path !== undefined) {
    const { body, headers }: { body: { id: string }[]; headers: Record<string, string> } = await get(path);
    expect(headers['x-total-count']).toBe('2250');
    expect(body).toHaveLength(Math.min(100, 2_250 - ids.length));
    ids.push(...body.map(({ id }) => id));
    path = /^<([^>]*)>; rel="next"$/.exec(headers.link ?? '')?.[1];
  }
  expect(ids).toEqual(skills.filter(({ license }) => license === 'MIT').map(({ id }) => id));
});

/** Too long to be joined in memory: it is streamed. */
const LONG = '/api/skills?tag=test';

test.each([
  ['identity', (body: Buffer) => body],
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('a long list is the same in %s, for HEAD and when it is revalidated', async (coding, decode) => {
  const accept = { 'accept-encoding': coding };
  const { status, headers, body } = await getRaw(LONG, accept);
  expect([status, headers['content-encoding']]).toEqual([200, coding === 'identity' ? undefined : coding]);
  expect(headers['x-total-count']).toBe(String(COUNT));
  expect(JSON.parse(decode(body).toString())).toEqual((await get('/api/skills')).body);
  const head = await getRaw(LONG, accept, 'HEAD');
  const { etag, 'content-encoding': encoding, 'x-total-count': total } = headers;
  expect(head).toMatchObject({ status: 200, headers: { etag, 'x-total-count': total } });
  expect([head.headers['content-encoding'], head.body.length]).toEqual([encoding, 0]);
  expect((await getRaw(LONG, { ...accept, 'if-none-match': etag ?? '' })).status).toBe(304);
});

test('a page keeps its entity tag, cached or not, and its 304 has the total and the links', async () => {
  const tags = new Set<string>();
  for (let time = 0; time < 4; time++) tags.add((await list('q=number&limit=20')).headers.etag ?? '');
  expect(tags.size).toBe(1);
  const { etag = '', link } = (await list('limit=5')).headers;
  const again = await registry.http.get('/api/skills?limit=5').set({ 'If-None-Match': etag }).expect(304);
  expect(again.headers).toMatchObject({ 'x-total-count': '3000', link });
});

test('suggestions complete names, tags and authors, and can be revalidated', async () => {
  const { suggestions } = (await get('/api/suggestions?q=TAG-&limit=3')).body;
  const tag = { text: expect.any(String), kind: 'tag', count: expect.any(Number) };
  expect(suggestions).toEqual([tag, tag, tag]);
  const { body, headers } = await get('/api/suggestions?q=skill-29');
  expect(body.suggestions).toHaveLength(10);
  // The most popular one.
  expect(body.suggestions[0]).toEqual({ text: 'skill-2999', kind: 'skill', id: 'skill-2999' });
  const known = { 'If-None-Match': headers.etag ?? '' };
  await registry.http.get('/api/suggestions?q=skill-29').set(known).expect(304);
  const byDisplayName = [{ text: 'Seventh Wonder', kind: 'skill', id: 'skill-7' }];
  expect((await get('/api/suggestions?q=seventh_w')).body).toEqual({ suggestions: byDisplayName });
  expect((await get('/api/suggestions?q=zzzz')).body).toEqual({ suggestions: [] });
});

test.each(['', 'q=', 'q=%20', 'q=a&q=b', `q=${'x'.repeat(257)}`, 'q=a&limit=51', 'q=a&limit=0'])(
  'suggestions refuse "%s"',
  async (query) => {
    expect((await registry.http.get(`/api/suggestions?${query}`).expect(400)).body.error).toBe('validation_error');
  },
);
