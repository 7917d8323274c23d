import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeUpstream, startUpstream } from './fake-upstream.ts';
import { openRegistry } from './opened.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const COUNT = 3_000;

const skills = Array.from({ length: COUNT }, (_, at) => ({
  id: `skill-${at}`,
  name: at % 10 === 0 ? `Skill ${at}` : `skill-${at}`,
  description: `Number ${at} of the skills for this test.`,
  category: at % 2 ? 'odd' : 'even',
  tags: ['test', `tag-${at % 7}`],
  author: at % 3 ? 'Tester' : 'Other',
  repo: `owner/repo-${at % 5}`,
  license: at % 4 ? 'MIT' : 'Apache-2.0',
  stars: at,
  updated_at: new Date(Date.UTC(2026, 0, 1) + at * 86_400_000).toISOString(),
}));

let upstream: FakeUpstream;
let registry: StartedRegistry;

beforeAll(async () => {
  upstream = await startUpstream({ skills });
  registry = await startRegistry({ source: upstream.url });
  await until(registry.status, { holds: ({ counts }) => counts.skills === COUNT, timeoutMs: 60_000 });
});
afterAll(async () => {
  await registry.close();
  await upstream.close();
});

const list = async (query: string) => registry.http.get(`/api/skills?${query}`).expect(200);
const total = async (query: string) => Number((await list(`${query}&limit=1`)).headers['x-total-count']);
const where = (fits: (skill: (typeof skills)[number], at: number) => boolean) => skills.filter(fits).length;

/** The body as sent: superagent would decompress it. */
async function getRaw(path: string, headers: Record<string, string>, method = 'GET') {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request(registry.url + path, { headers, method, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(await res.toArray()) };
}

describe('filters', () => {
  test('by repository, license, validity and time', async () => {
    expect(await total('repo=OWNER/repo-1')).toBe(where((_, at) => at % 5 === 1));
    expect(await total('license=mit')).toBe(where(({ license }) => license === 'MIT'));
    expect(await total('valid=false')).toBe(where((_, at) => at % 10 === 0));
    expect(await total('valid=true&license=apache-2.0')).toBe(where((_, at) => at % 4 === 0 && at % 10 !== 0));
    expect(await total('updated_since=2026-01-11')).toBe(COUNT - 10);
    expect(await total('updated_since=2026-01-11T00:00:00.001Z')).toBe(COUNT - 11);
    expect(await total('updated_since=2026-01-11T01:00:00%2B02:00')).toBe(COUNT - 10);
    expect(await total('updated_since=2200-01-01')).toBe(0);
  });
});

describe('the list', () => {
  test('is sorted as asked', async () => {
    const first = async (query: string) => (await list(`${query}&limit=1`)).body[0].name;
    expect(await first('sort=stars')).toBe('skill-2999');
    expect(await first('sort=stars&order=asc')).toBe('Skill 0');
    expect(await first('order=desc')).toBe('skill-999');
    expect(await first('q=Skill-3')).toBe('skill-3');
  });

  test('is sent uncompressed where it is short, and ignores unknown parameters', async () => {
    const { headers } = await getRaw('/api/skills?limit=1&colour=red&__proto__=1', { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });
});

test('categories and tags are listed with their counts, the most used first', async () => {
  const { body } = await registry.http.get('/api/categories').expect(200);
  expect(body.categories).toEqual([
    { id: 'even', name: 'even', description: null, count: COUNT / 2 },
    { id: 'odd', name: 'odd', description: null, count: COUNT / 2 },
  ]);
  expect(body.tags[0]).toEqual({ name: 'test', count: COUNT });
});

test('the status is kept out of caches', async () => {
  const { headers } = await registry.http.get('/api/registry/status').expect(200);
  expect(headers['cache-control']).toBe('no-store');
});

test('requests without the internal token are refused where there is one, except for readiness', async () => {
  const internalToken = 'an-internal-token-of-tests';
  const guarded = await openRegistry({ internalToken });
  expect((await guarded.http.get('/api/skills').expect(403)).body.error).toBe('forbidden');
  await guarded.http.get('/api/skills').set('x-fleet-internal-token', internalToken).expect(200);
  await guarded.http.get('/openapi.json').expect(403);
  await guarded.http.get('/openapi.json').set('x-fleet-internal-token', internalToken).expect(200);
  await guarded.http.get('/ready').expect(200);
});

describe('facets', () => {
  test('count the values of all that fits, not only of the page', async () => {
    const { body, headers } = await list('author=other&facets=category,license,valid&limit=3');
    expect(headers['x-total-count']).toBe('1000');
    expect(body.skills).toHaveLength(3);
    expect(body.facets.category).toEqual([
      { value: 'even', count: 500 },
      { value: 'odd', count: 500 },
    ]);
    expect(body.facets.license).toEqual([
      { value: 'MIT', count: 750 },
      { value: 'Apache-2.0', count: 250 },
    ]);
    expect(body.facets.valid).toContainEqual({ value: 'false', count: 100 });
    expect(Object.keys(body.facets).sort()).toEqual(['category', 'license', 'valid']);
  });
});

describe('fields', () => {
  test('are all that a skill has then, beside its id', async () => {
    const { body } = await list('fields=stars,%20source&sort=stars&order=asc&limit=2');
    const source = (at: number) => ({ repo: `owner/repo-${at}`, path: null, ref: null, url: null });
    expect(body).toEqual([
      { id: 'skill-0', source: source(0), stars: 0 },
      { id: 'skill-1', source: source(1), stars: 1 },
    ]);
    const all = await list('fields=id');
    expect(all.body).toHaveLength(COUNT);
    expect(Object.keys(all.body[0])).toEqual(['id']);
  });
});

describe('a cursor', () => {
  test('leads through the list by links, each skill once', async () => {
    const ids: string[] = [];
    let path: string | undefined = '/api/skills?sort=stars&order=asc&license=MIT&limit=400&cursor=';
    let pages = 0;
    for (; path !== undefined; pages++) {
      const { body, headers }: { body: { id: string }[]; headers: Record<string, string> } = await registry.http
        .get(path)
        .expect(200);
      expect(headers['x-total-count']).toBe('2250');
      ids.push(...body.map(({ id }) => id));
      path = /^<([^>]*)>; rel="next"$/.exec(headers.link ?? '')?.[1];
    }
    expect(pages).toBe(6);
    expect(ids).toEqual(skills.filter(({ license }) => license === 'MIT').map(({ id }) => id));
  });

  test('is refused with another query, with skip, and where it is none', async () => {
    const { headers } = await list('tag=tag-1&cursor=&limit=1');
    const cursor = /cursor=([\w-]+)/.exec(headers.link ?? '')?.[1];
    await list(`tag=tag-1&cursor=${cursor}`);
    for (const query of [`tag=tag-2&cursor=${cursor}`, `tag=tag-1&skip=1&cursor=${cursor}`, 'cursor=x', 'cursor=%ff']) {
      const { body } = await registry.http.get(`/api/skills?${query}`).expect(400);
      expect(body).toMatchObject({ error: 'validation_error', details: { fields: [{ path: 'cursor' }] } });
    }
  });
});

describe('a list too long to be joined in memory', () => {
  const path = '/api/skills?tag=test';

  test.each([
    ['identity', (body: Buffer) => body],
    ['gzip', (body: Buffer) => gunzipSync(body)],
    ['br', (body: Buffer) => brotliDecompressSync(body)],
  ] as const)('is the same in %s', async (coding, decode) => {
    const { status, headers, body } = await getRaw(path, { 'accept-encoding': coding });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
    expect(headers['x-total-count']).toBe(String(COUNT));
    expect(JSON.parse(decode(body).toString())).toEqual((await registry.http.get('/api/skills')).body);
  });

  test('can be revalidated, and has the same headers for HEAD', async () => {
    const { headers } = await getRaw(path, { 'accept-encoding': 'gzip' });
    const head = await getRaw(path, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers).toMatchObject({ etag: headers.etag, 'content-encoding': 'gzip', 'x-total-count': '3000' });
    const known = { 'accept-encoding': 'gzip', 'if-none-match': headers.etag ?? '' };
    expect((await getRaw(path, known)).status).toBe(304);
  });
});

describe('a page', () => {
  test('has the same entity tag when it is asked for again, kept or not', async () => {
    const tags = new Set<string>();
    for (let time = 0; time < 4; time++) tags.add((await list('q=number&limit=20')).headers.etag ?? '');
    expect(tags.size).toBe(1);
  });

  test('answers 304 to who has it, with its total and links', async () => {
    const { headers } = await list('limit=5');
    const again = await registry.http
      .get('/api/skills?limit=5')
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    expect(again.headers).toMatchObject({ 'x-total-count': '3000', link: headers.link });
  });
});

describe('suggestions', () => {
  test('complete names, tags and authors', async () => {
    const { body } = await registry.http.get('/api/suggestions?q=TAG-&limit=3').expect(200);
    expect(body.suggestions).toHaveLength(3);
    for (const suggestion of body.suggestions)
      expect(suggestion).toMatchObject({ kind: 'tag', count: expect.any(Number) });
    const names = await registry.http.get('/api/suggestions?q=skill-29').expect(200);
    expect(names.body.suggestions).toHaveLength(10);
    const [first] = names.body.suggestions;
    expect(first.kind).toBe('skill');
    await registry.http.get(`/api/skills/${first.id}`).expect(200);
  });

  test('can be revalidated, and are none for what nothing begins with', async () => {
    const { headers } = await registry.http.get('/api/suggestions?q=skill').expect(200);
    await registry.http
      .get('/api/suggestions?q=skill')
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    expect((await registry.http.get('/api/suggestions?q=zzzz').expect(200)).body).toEqual({ suggestions: [] });
  });

  test.each(['', 'q=', 'q=%20', 'q=a&q=b', `q=${'x'.repeat(257)}`, 'q=a&limit=51', 'q=a&limit=0'])(
    'refuse "%s"',
    async (query) => {
      expect((await registry.http.get(`/api/suggestions?${query}`).expect(400)).body.error).toBe('validation_error');
    },
  );
});
