import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { own } from '@agent-fleet/scripts/testing/own';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { type FakeUpstream, send, startUpstream } from '../support/fake-upstream.ts';
import { openRegistry, untilSkills } from '../support/open-registry.ts';
import type { StartOptions } from '../support/start-registry.ts';

const FILE = '---\nname: review\ndescription: Reviews code.\n---\n\n# Review – ü\n';
const sha256 = (text: string) => hash('sha256', text);
const toReprDigest = (text: string) => `sha-256=:${hash('sha256', text, 'base64')}:`;
const NOT_FOUND = { detail: 'SKILL.md not found' };

interface Place {
  upstream: FakeUpstream;
  /** How often the SKILL.md was requested. */
  requests(): number;
}

async function openPlace(): Promise<Place> {
  const upstream = await startUpstream();
  own(() => upstream.close());
  upstream.serveFiles({ '/review/SKILL.md': FILE });
  return { upstream, requests: () => upstream.requests.filter(({ url }) => url.includes('SKILL.md')).length };
}

/** A registry with one skill whose SKILL.md is at `place`. */
async function openSkill(record: object = {}, options: StartOptions = {}) {
  const place = await openPlace();
  const url = `http://127.0.0.1:${place.upstream.port}/review/SKILL.md`;
  const source = await startUpstream([{ id: 'review', name: 'review', description: 'Reviews code.', url, ...record }]);
  own(() => source.close());
  let time = Date.now();
  const now = () => time;
  const registry = await openRegistry({ source: source.url, allowsPrivate: true, now, ...options });
  await untilSkills(registry, 1);
  const read = (path = '/api/skills/review/skill.md', headers: Record<string, string> = {}) =>
    registry.http.get(path).set(headers);
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...place, registry, read, pass };
}

const MINUTE = 60_000;
const INDEX = '/api/skills/review/.well-known/agent-skills/index.json';

test('the SKILL.md of a skill is served as it is where the skill lives, with its digest', async () => {
  const { read } = await openSkill();
  const { text, headers } = await read('/api/skills/review/skill.md', { 'accept-encoding': 'gzip' }).expect(200);
  expect(text).toBe(FILE);
  expect(headers).toMatchObject({
    'content-type': 'text/markdown; charset=utf-8',
    'repr-digest': toReprDigest(FILE),
    etag: `"${sha256(FILE).slice(0, 32)}"`,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  });
  expect(headers).not.toHaveProperty('x-digest-mismatch');
  expect(headers).not.toHaveProperty('content-encoding');
  await read(undefined, { 'if-none-match': headers.etag ?? '' }).expect(304);
});

test('a SKILL.md is fetched once for all requests, and revalidated after five minutes', async () => {
  const { read, requests, pass, upstream } = await openSkill();
  await Promise.all([1, 2, 3].map(() => read().expect(200)));
  pass(4 * MINUTE);
  await read().expect(200);
  expect(requests()).toBe(1);
  pass(2 * MINUTE);
  expect((await read().expect(200)).text).toBe(FILE);
  expect(upstream.requests.at(-1)?.headers['if-none-match']).toBe(`"${sha256(FILE)}"`);
  upstream.serveFiles({ '/review/SKILL.md': 'New.' });
  pass(6 * MINUTE);
  expect((await read().expect(200)).text).toBe('New.');
  expect(requests()).toBe(3);
});

test('the last SKILL.md is served while its place fails, but not when it is gone', async () => {
  const { read, pass, upstream } = await openSkill();
  await read().expect(200);
  upstream.answer = (_req, res) => send(res, 500, '');
  pass(6 * MINUTE);
  expect((await read().expect(200)).text).toBe(FILE);
  upstream.answer = (_req, res) => send(res, 404, '');
  pass(MINUTE);
  await read().expect(404, NOT_FOUND);
});

test('a SKILL.md with another digest than its source declares is served with both digests', async () => {
  const other = `sha256:${'ab'.repeat(32)}`;
  const { read } = await openSkill({ digest: other });
  const { text, headers } = await read().expect(200);
  expect(text).toBe(FILE);
  expect(headers).toMatchObject({ 'repr-digest': toReprDigest(FILE), 'x-digest-mismatch': other });
});

test('a SKILL.md with the declared digest is not fetched again', async () => {
  const { read, pass, requests } = await openSkill({ digest: `sha256:${sha256(FILE)}` });
  for (const minutes of [0, 6, 6]) {
    pass(minutes * MINUTE);
    expect((await read().expect(200)).headers).not.toHaveProperty('x-digest-mismatch');
  }
  expect(requests()).toBe(1);
});

test.each<[string, FakeUpstream['answer'], number, string | undefined]>([
  ['responds with 404', (_req, res) => send(res, 404, ''), 404, undefined],
  ['responds with 403', (_req, res) => send(res, 403, ''), 404, undefined],
  ['asks to sign in', (_req, res) => send(res, 200, '<html>', { 'content-type': 'text/html' }), 404, undefined],
  ['responds with 500', (_req, res) => send(res, 500, ''), 502, 'upstream_error'],
  ['closes the connection', (_req, res) => res.destroy(), 502, 'upstream_error'],
  ['sends more than 256 KiB', (_req, res) => send(res, 200, 'x'.repeat(262_145)), 502, 'upstream_error'],
  ['redirects forever', (_req, res) => void res.writeHead(302, { location: '/' }).end(), 502, 'upstream_error'],
  ['responds with 429', (_req, res) => send(res, 429, '', { 'retry-after': '9' }), 503, 'unavailable'],
])(
  'a SKILL.md whose place %s is an error, which is remembered for half a minute',
  async (_how, answer, status, code) => {
    const { read, requests, pass, upstream } = await openSkill();
    upstream.answer = answer;
    for (let time = 0; time < 2; time++) {
      const { body, headers } = await read().expect(status);
      expect(body).toMatchObject(code ? { error: code } : NOT_FOUND);
      expect(headers).not.toHaveProperty('etag');
      if (status === 503) expect(headers['retry-after']).toBe('9');
    }
    const before = requests();
    upstream.serveFiles({ '/review/SKILL.md': FILE });
    await read().expect(status);
    expect(requests()).toBe(before);
    pass(MINUTE);
    await read().expect(200);
  },
);

test.each([
  ['a private address', undefined],
  ['a host name of a private address', { url: 'http://localhost:1/SKILL.md' }],
  ['no known address', { url: 'https://example.com/page' }],
])('a SKILL.md with %s is 404, and nothing is fetched', async (_what, record) => {
  const { read, requests } = await openSkill(record, { allowsPrivate: false });
  await read().expect(404, NOT_FOUND);
  await read('/api/skills/review/.well-known/agent-skills/index.json').expect(404, NOT_FOUND);
  await read('/api/skills/nothing/skill.md').expect(404, { detail: 'Skill not found' });
  expect(requests()).toBe(0);
});

test('at most sixteen files are fetched at a time, and the next request is 503', async () => {
  const place = await openPlace();
  const held: (() => void)[] = [];
  place.upstream.answer = (_req, res) => held.push(() => send(res, 200, FILE));
  const records = Array.from({ length: 17 }, (_, at) => {
    const url = `http://127.0.0.1:${place.upstream.port}/${at}/SKILL.md`;
    return { id: `skill-${at}`, name: `skill-${at}`, description: 'A skill.', url };
  });
  const source = await startUpstream(records);
  own(() => source.close());
  const registry = await openRegistry({ source: source.url, allowsPrivate: true });
  await untilSkills(registry, 17);
  const read = (at: number) => registry.http.get(`/api/skills/skill-${at}/skill.md`);
  const running = Array.from({ length: 16 }, (_, at) => read(at).then(({ status }) => status));
  await until(() => held.length === 16);
  await read(16).expect(503);
  await sleep(10);
  for (const release of held) release();
  expect(await Promise.all(running)).toEqual(Array.from({ length: 16 }, () => 200));
});

test('the well-known index of a skill has the digest of its SKILL.md, at a relative URL', async () => {
  const { read } = await openSkill({ name: 'Review Ünit  Tests!', id: 'review', description: '' });
  const { body, headers } = await read(INDEX).expect(200);
  expect(body).toEqual({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: 'review-unit-tests',
        type: 'skill-md',
        description: 'Review Ünit Tests!',
        url: '../../skill.md',
        digest: `sha256:${sha256(FILE)}`,
      },
    ],
  });
  expect(new URL('../../skill.md', `http://host${INDEX}`).pathname).toBe('/api/skills/review/skill.md');
  await read(INDEX, { 'if-none-match': headers.etag ?? '' }).expect(304);
});

test('the well-known index of a skill with a known digest is that of the snapshot, while its place is away too', async () => {
  const digest = `sha256:${sha256('Another.')}`;
  const { read, requests, upstream } = await openSkill({ digest });
  upstream.answer = (_req, res) => res.destroy();
  const { body, headers } = await read(INDEX).expect(200);
  expect(body.skills).toEqual([expect.objectContaining({ name: 'review', url: '../../skill.md', digest })]);
  expect(requests()).toBe(0);
  await read(INDEX, { 'if-none-match': headers.etag ?? '' }).expect(304);
  await read().expect(502);
});

test('a skill with a digest but no known place has no index', async () => {
  const { read } = await openSkill({ digest: `sha256:${sha256(FILE)}`, url: 'https://example.com/page' });
  await read(INDEX).expect(404, NOT_FOUND);
});
