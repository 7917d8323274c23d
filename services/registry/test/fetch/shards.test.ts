import { hash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { type FakeUpstream, registryOf, type ShardJson, send, shardedFiles } from '../support/fake-upstream.ts';
import { openUpstream } from '../support/open-registry.ts';
import { failureOf, fetchFiles, fetchFrom, LIMITS } from './fetching.ts';

type ManifestJson = { shards: ShardJson[] } & Record<string, unknown>;

const shardsOf = (count: number) => Array.from({ length: count }, (_, at) => registryOf(2, `shard-${at}`).skills);

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await openUpstream(0);
});

/** The paths that are requested while `run` runs. */
async function pathsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const before = upstream.requests.length;
  await run();
  return upstream.requests.slice(before).map(({ url }) => url);
}

function spoil(change: (manifest: ManifestJson) => void, documents = shardsOf(3)): void {
  upstream.serveFiles(shardedFiles(documents, change));
}

test('all files of a registry in shards are fetched, in the order of the manifest', async () => {
  const documents = shardsOf(9);
  upstream.serveShards(documents);
  const { files, texts } = await fetchFiles(upstream.url);
  const all = Object.values(shardedFiles(documents));
  expect(texts).toEqual(all);
  expect(files.recordDocuments).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(files).toMatchObject({ counts: Array(9).fill(2), totalCount: 18 });
  expect(files.digest).toBe(hash('sha256', all.map((text) => hash('sha256', text)).join('\n')));
});

test('a count that the manifest lacks is unknown', async () => {
  spoil((manifest) => {
    delete manifest.total_count;
    for (const shard of manifest.shards) Object.assign(shard, { count: undefined });
  });
  const { files } = await fetchFiles(upstream.url);
  expect(files).toMatchObject({ counts: [undefined, undefined, undefined], totalCount: 6 });
});

test('at most four shards are fetched concurrently', async () => {
  upstream.serveShards(shardsOf(12));
  const { answer } = upstream;
  let open = 0;
  let most = 0;
  const fourAreOpen = Promise.withResolvers<void>();
  upstream.answer = async (req, res) => {
    if (!req.url?.includes('shards/')) return answer(req, res);
    res.on('close', () => open--);
    most = Math.max(most, ++open);
    if (open === 4) fourAreOpen.resolve();
    await fourAreOpen.promise;
    // Time for a fifth request.
    await sleep(50);
    answer(req, res);
  };
  await fetchFiles(upstream.url);
  expect(most).toBe(4);
});

test('a registry in shards is unchanged if pointer and manifest are, by validator or by content', async () => {
  upstream.serveShards(shardsOf(3));
  const known = await fetchFiles(upstream.url);
  let again = await fetchFrom(upstream.url, { known });
  expect(again).toMatchObject({ status: 'unchanged', validators: known.validators });
  expect(upstream.requests.slice(-2).map(({ headers }) => headers['if-none-match'])).toEqual([
    known.validators.root.etag,
    known.validators.manifest?.etag,
  ]);
  const unconditional = { ...known, validators: { root: { etag: null, lastModified: null } } };
  const paths = await pathsDuring(async () => {
    again = await fetchFrom(upstream.url, { known: unconditional });
  });
  expect(again).toEqual({
    status: 'unchanged',
    digest: known.files.digest,
    validators: known.validators,
    freshForMs: undefined,
  });
  expect(paths).toEqual(['/registry.json', '/registry-manifest.json']);
});

test.each([
  ['two shards change, and the pointer', true, ['03', '05']],
  ['one shard changes, but not the pointer', false, ['03']],
])('only changed shards are fetched again where %s', async (_what, isAdded, fetched) => {
  const documents = shardsOf(5);
  upstream.serveShards(documents);
  const known = await fetchFiles(upstream.url);
  const changed = documents.with(3, registryOf(2, 'changed').skills);
  if (isAdded) changed.push(registryOf(2, 'added').skills);
  upstream.serveShards(changed);
  let now = known;
  const paths = await pathsDuring(async () => {
    now = await fetchFiles(upstream.url, { known });
  });
  expect(paths.slice(0, 2)).toEqual(['/registry.json', '/registry-manifest.json']);
  expect(paths.slice(2).sort()).toEqual(fetched.map((id) => `/registry-shards/${id}.json`));
  expect(now.texts).toEqual(Object.values(shardedFiles(changed)));
  expect(now.files.documents[2]).toBe(known.files.documents[2]);
  expect(now.files.digest).not.toBe(known.files.digest);
});

test('all shards are fetched again if a known document is lost', async () => {
  upstream.serveShards(shardsOf(2));
  const known = await fetchFiles(upstream.url);
  for (const documents of [known.files.documents.slice(0, 3), []]) {
    const { texts } = await fetchFiles(upstream.url, {
      known: { ...known, files: { ...known.files, digest: '', documents } },
    });
    expect(texts).toEqual(known.texts);
  }
});

test('a registry may move from one file to shards and back', async () => {
  upstream.serve(registryOf(3));
  const whole = await fetchFiles(upstream.url);
  upstream.serveShards(shardsOf(2));
  const sharded = await fetchFiles(upstream.url, { known: whole });
  expect(sharded.files.recordDocuments).toEqual([2, 3]);
  upstream.serve(registryOf(3));
  const again = await fetchFiles(upstream.url, { known: sharded });
  expect(again.files).toMatchObject({ digest: whole.files.digest, recordDocuments: [0] });
  expect(again.validators.manifest).toBeUndefined();
});

test('a manifest is resolved against the pointer after redirects, and fetched without validators of another URL', async () => {
  const files = shardedFiles(shardsOf(2));
  upstream.serveFiles(files);
  const known = await fetchFiles(upstream.url);
  const moved = Object.fromEntries(Object.entries(files).map(([path, body]) => [`/moved${path}`, body]));
  upstream.serveFiles(moved);
  const { answer } = upstream;
  upstream.answer = (req, res) => {
    if (req.url === '/registry.json') res.writeHead(302, { location: '/moved/registry.json' }).end();
    else answer(req, res);
  };
  const paths = await pathsDuring(async () => {
    expect((await fetchFrom(upstream.url, { known })).status).toBe('unchanged');
  });
  expect(paths).toEqual(['/registry.json', '/moved/registry.json', '/moved/registry-manifest.json']);
  expect(upstream.requests.at(-1)?.headers['if-none-match']).toBeUndefined();
});

const respond = (body: string): RequestListener => {
  return (_req, res) => send(res, 200, body);
};
const shard = JSON.stringify(shardsOf(3)[2]);
const limits = { ...LIMITS, sourceDeadlineMs: 1_500 };
const failures: [code: string, how: string, RequestListener, more: object][] = [
  ['wrong_digest', 'has other bytes', respond(shard.replace('shard-2', 'shard-X')), {}],
  ['wrong_digest', 'is longer', respond(`${shard}\n`), {}],
  ['wrong_digest', 'is shorter', respond(shard.slice(0, -1)), {}],
  ['http_status', 'is missing', (_req, res) => send(res, 404, '{}'), {}],
  [
    'rate_limited',
    'is limited',
    (_req, res) => send(res, 429, '{}', { 'retry-after': '30' }),
    { retryAfterMs: 30_000 },
  ],
  ['timeout', 'takes longer than all files may', () => {}, { message: expect.stringContaining('1.5 s') }],
];

test.each(failures)('a source fails as %s when one of its shards %s', async (code, _how, answerShard, more) => {
  upstream.serveShards(shardsOf(3));
  const { answer } = upstream;
  upstream.answer = (req, res) => (req.url?.includes('shards/02') ? answerShard : answer)(req, res);
  const options = code === 'timeout' ? { limits } : {};
  expect(await failureOf(upstream.url, options)).toMatchObject({ code, ...more });
});

test('a shard that fails aborts the fetches of others', async () => {
  upstream.serveShards(shardsOf(20));
  const { answer } = upstream;
  const ended: Promise<unknown>[] = [];
  upstream.answer = (req, res) => {
    if (!req.url?.includes('shards/')) return answer(req, res);
    ended.push(new Promise((resolve) => res.on('close', resolve)));
    if (ended.length === 4) send(res, 500, '{}');
  };
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'http_status' });
  await Promise.all(ended);
  expect(ended).toHaveLength(4);
});

const cases: [string, (manifest: ManifestJson) => void][] = [
  ['of another version', (manifest) => Object.assign(manifest, { schema_version: 2 })],
  ['without shards', (manifest) => Object.assign(manifest, { shards: [], shard_count: 0 })],
  ['whose shards are not a list', (manifest) => Object.assign(manifest, { shards: {} })],
  ['with a wrong count of shards', (manifest) => manifest.shards.pop()],
  ['with a shard without a digest', ({ shards: [shard] }) => Object.assign(shard ?? {}, { sha256: undefined })],
  ['with a wrong digest', ({ shards: [shard] }) => Object.assign(shard ?? {}, { sha256: 'abc' })],
  ['with a negative count', ({ shards: [shard] }) => Object.assign(shard ?? {}, { count: -1 })],
  ['with a fraction of bytes', ({ shards: [shard] }) => Object.assign(shard ?? {}, { bytes: 1.5 })],
  ['with an id twice', ({ shards: [, second] }) => Object.assign(second ?? {}, { id: '00' })],
  ['with a path twice', ({ shards: [a, b] }) => Object.assign(b ?? {}, { path: a?.path })],
  ['with a file twice', ({ shards: [a, b] }) => Object.assign(b ?? {}, { path: `./${a?.path}` })],
  ['with itself as a shard', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'registry-manifest.json' })],
  ['with the URL of a file', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'file:///etc/passwd' })],
  ['with an invalid URL', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'http://[' })],
];

test.each(cases)('a manifest %s is refused before a shard is fetched', async (_how, change) => {
  spoil(change);
  const paths = await pathsDuring(async () => {
    expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
  });
  expect(paths).toEqual(['/registry.json', '/registry-manifest.json']);
});

test('a manifest of more than two thousand shards is refused', async () => {
  const names = (count: number) => (manifest: ManifestJson) => {
    const [first] = manifest.shards;
    manifest.shards = Array.from({ length: count }, (_, at) => ({ ...first, id: `${at}`, path: `${at}` }) as ShardJson);
    manifest.shard_count = count;
  };
  const large = { ...LIMITS, maxBytes: 1_000_000 };
  spoil(names(2_001));
  expect(await failureOf(upstream.url, { limits: large })).toMatchObject({ code: 'bad_manifest' });
  spoil(names(2_000));
  expect(await failureOf(upstream.url, { limits: large })).toMatchObject({ code: 'http_status' });
});

test.each([
  ['one shard', (shards: ShardJson[]) => Object.assign(shards[0] ?? {}, { bytes: 65 * 1024 * 1024 })],
  ['all shards', (shards: ShardJson[]) => shards.map((shard) => Object.assign(shard, { bytes: 60 * 1024 * 1024 }))],
])('a manifest is refused that announces too many bytes in %s', async (_what, change) => {
  spoil(({ shards }) => change(shards), shardsOf(9));
  const large = { ...LIMITS, maxBytes: 256 * 1024 * 1024 };
  expect(await failureOf(upstream.url, { limits: large })).toMatchObject({ code: 'too_large' });
});

test.each(['null', '[]', '<html>', '', '{"shards":'])('the manifest %j is refused', async (text) => {
  upstream.serveFiles({ ...shardedFiles(shardsOf(1)), '/registry-manifest.json': text });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
});

test('a manifest that is a pointer is refused, also the pointer to itself', async () => {
  const cyclic = { code: 'bad_manifest', message: expect.stringContaining('itself a pointer') };
  const files = shardedFiles(shardsOf(1));
  upstream.serveFiles({ ...files, '/registry-manifest.json': files['/registry.json'] ?? '' });
  expect(await failureOf(upstream.url)).toMatchObject(cyclic);
  upstream.serveFiles({ '/registry.json': JSON.stringify({ manifest: 'registry.json' }) });
  const paths = await pathsDuring(async () => {
    expect(await failureOf(upstream.url)).toMatchObject(cyclic);
  });
  expect(paths).toEqual(['/registry.json', '/registry.json']);
});

test('a shard that is a pointer is refused', async () => {
  upstream.serveShards([[], { manifest: '../registry-manifest.json' }]);
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
});

test('a source fails when its manifest is missing', async () => {
  upstream.serveFiles({ '/registry.json': '{"manifest":"nowhere.json"}' });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'http_status' });
});

test.each([
  { manifest: 'registry-manifest.json', skills: [] },
  { manifest: 'registry-manifest.json', items: [] },
  { manifest: { name: 'a skill called manifest' } },
  ['manifest'],
  { manifest: 'registry-manifest.json', padding: ' '.repeat(65_536) },
])('the document %j is not a pointer but the registry itself', async (document) => {
  upstream.serve(document);
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0]);
});

/** Another upstream, with the manifest and the shards of the first. */
async function openManifestElsewhere(): Promise<FakeUpstream> {
  const other = await openUpstream(0);
  other.serveShards(shardsOf(2));
  const manifest = new URL('registry-manifest.json', other.url);
  upstream.serveFiles({ '/registry.json': JSON.stringify({ manifest }) });
  return other;
}

const credentialsOf = ({ requests }: FakeUpstream) => requests.map(({ headers }) => headers.authorization);

test('a manifest at another origin is fetched, with its shards, without the credentials of the source', async () => {
  const other = await openManifestElsewhere();
  const url = upstream.url.replace('http://', 'http://user:secret@');
  const { files } = await fetchFiles(url, { isInternal: () => false });
  expect(files.documents).toHaveLength(4);
  expect(credentialsOf(upstream)).toEqual([expect.stringMatching(/^Basic /)]);
  expect(credentialsOf(other)).toEqual([undefined, undefined, undefined]);
});

test('a manifest at another origin is refused if that origin is internal, even for an internal source', async () => {
  const other = await openManifestElsewhere();
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'private_address' });
  expect(other.requests).toEqual([]);
});

test('a manifest at the same origin is fetched with the credentials, and may be as internal as the source', async () => {
  upstream.serveShards(shardsOf(2));
  const { validators } = await fetchFiles(upstream.url.replace('http://', 'http://user:secret@'));
  const expected = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  expect(credentialsOf(upstream)).toEqual([expected, expected, expected, expected]);
  expect(JSON.stringify(validators)).not.toContain('secret');
});

test('a manifest is refused when the host of a public source resolves to an internal address the next time', async () => {
  upstream.serveShards(shardsOf(2));
  const isInternal = () => upstream.requests.length > 0;
  expect(await failureOf(upstream.url, { isInternal })).toMatchObject({ code: 'private_address' });
  expect(upstream.requests).toHaveLength(1);
});
