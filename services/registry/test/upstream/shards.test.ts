import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeUpstream, registryOf, type ShardJson, send, shardedFiles, startUpstream } from '../fake-upstream.ts';
import { failureOf, fetchFiles, fetchFrom, LIMITS } from './fetching.ts';

type ManifestJson = { shards: ShardJson[] } & Record<string, unknown>;

const shardsOf = (count: number) => Array.from({ length: count }, (_, at) => registryOf(2, `shard-${at}`).skills);

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

/** The paths that are asked for while `run` runs. */
async function pathsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const before = upstream.requests.length;
  await run();
  return upstream.requests.slice(before).map(({ url }) => url);
}

function spoil(change: (manifest: ManifestJson) => void, documents = shardsOf(3)): void {
  upstream.serveFiles(shardedFiles(documents, change));
}

test('a registry in shards is fetched with all of its files, in the order of the manifest', async () => {
  const documents = shardsOf(9);
  upstream.serveShards(documents);
  const { files, texts } = await fetchFiles(upstream.url);
  const all = Object.values(shardedFiles(documents));
  expect(texts).toEqual(all);
  expect(files.recordDocuments).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(files).toMatchObject({ counts: Array(9).fill(2), totalCount: 18 });
  expect(files.digest).toBe(hash('sha256', all.map((text) => hash('sha256', text)).join('\n')));
});

test('a registry in shards takes a count that the manifest does not say for unknown', async () => {
  spoil((manifest) => {
    delete manifest.total_count;
    for (const shard of manifest.shards) Object.assign(shard, { count: undefined });
  });
  const { files } = await fetchFiles(upstream.url);
  expect(files).toMatchObject({ counts: [undefined, undefined, undefined], totalCount: 6 });
});

test('a registry in shards has at most four shards asked for at once, and four where there are so many', async () => {
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
    // Time for a fifth.
    await sleep(50);
    answer(req, res);
  };
  await fetchFiles(upstream.url);
  expect(most).toBe(4);
});

test('a registry in shards is unchanged where pointer and manifest are: two requests, or what they bring again is the same', async () => {
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

test('a registry in shards is fetched again only where a shard has changed', async () => {
  const documents = shardsOf(5);
  upstream.serveShards(documents);
  const known = await fetchFiles(upstream.url);
  const changed = documents.with(3, registryOf(2, 'changed').skills).concat([registryOf(2, 'added').skills]);
  upstream.serveShards(changed);
  let now = known;
  const paths = await pathsDuring(async () => {
    now = await fetchFiles(upstream.url, { known });
  });
  expect(paths.slice(0, 2)).toEqual(['/registry.json', '/registry-manifest.json']);
  expect(paths.slice(2).sort()).toEqual(['/registry-shards/03.json', '/registry-shards/05.json']);
  expect(now.texts).toEqual(Object.values(shardedFiles(changed)));
  expect(now.files.documents[2]).toBe(known.files.documents[2]);
  expect(now.files.digest).not.toBe(known.files.digest);
});

test('a registry in shards is fetched again where the pointer alone says it is unchanged', async () => {
  const documents = shardsOf(2);
  upstream.serveShards(documents);
  const known = await fetchFiles(upstream.url);
  upstream.serveShards(documents.with(1, registryOf(2, 'changed').skills));
  const paths = await pathsDuring(() => fetchFiles(upstream.url, { known }));
  expect(paths).toEqual(['/registry.json', '/registry-manifest.json', '/registry-shards/01.json']);
});

test('a registry in shards is fetched whole where a document that should be known has been lost', async () => {
  upstream.serveShards(shardsOf(2));
  const known = await fetchFiles(upstream.url);
  for (const documents of [known.files.documents.slice(0, 3), []]) {
    const { texts } = await fetchFiles(upstream.url, {
      known: { ...known, files: { ...known.files, digest: '', documents } },
    });
    expect(texts).toEqual(known.texts);
  }
});

test('a registry in shards may become one file and shards again', async () => {
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

test('a registry in shards asks for the manifest beside where the pointer is in the end, without a condition that another one gave', async () => {
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

test.each([
  ['has other bytes', 'wrong_digest', (body: string) => body.replace('shard-1', 'shard-X')],
  ['is longer', 'wrong_digest', (body: string) => `${body}\n`],
  ['is shorter', 'wrong_digest', (body: string) => body.slice(0, -1)],
  ['is not there', 'http_status', () => undefined],
])('a shard that fails because it %s fails the source (%s)', async (_how, code, change) => {
  const files: Record<string, string | undefined> = shardedFiles(shardsOf(3));
  files['/registry-shards/01.json'] = change(files['/registry-shards/01.json'] ?? '');
  upstream.serveFiles(files as Record<string, string>);
  expect(await failureOf(upstream.url)).toMatchObject({ code });
});

test('a shard that fails says for how long the server wants to be left alone', async () => {
  upstream.serveShards(shardsOf(3));
  const { answer } = upstream;
  upstream.answer = (req, res) => {
    if (req.url?.includes('shards/02')) send(res, 429, '{}', { 'retry-after': '30' });
    else answer(req, res);
  };
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'rate_limited', retryAfterMs: 30_000 });
});

test('a shard that fails ends the others, and no more are asked for', async () => {
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

test('a shard that fails because all files together take too long fails the source', async () => {
  upstream.serveShards(shardsOf(3));
  const { answer } = upstream;
  upstream.answer = (req, res) => {
    if (!req.url?.includes('shards/02')) answer(req, res);
  };
  const limits = { ...LIMITS, sourceDeadlineMs: 1_500 };
  const message = expect.stringContaining('1.5 s');
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'timeout', message });
});

const cases: [string, (manifest: ManifestJson) => void][] = [
  ['of another version', (manifest) => Object.assign(manifest, { schema_version: 2 })],
  ['without shards', (manifest) => Object.assign(manifest, { shards: [], shard_count: 0 })],
  ['with shards that are no list', (manifest) => Object.assign(manifest, { shards: {} })],
  ['with fewer shards than it says', (manifest) => manifest.shards.pop()],
  ['with a shard without a digest', ({ shards: [shard] }) => Object.assign(shard ?? {}, { sha256: undefined })],
  ['with a digest that is none', ({ shards: [shard] }) => Object.assign(shard ?? {}, { sha256: 'abc' })],
  ['with a count below zero', ({ shards: [shard] }) => Object.assign(shard ?? {}, { count: -1 })],
  ['with half a byte', ({ shards: [shard] }) => Object.assign(shard ?? {}, { bytes: 1.5 })],
  ['with an id twice', ({ shards: [, second] }) => Object.assign(second ?? {}, { id: '00' })],
  ['with a path twice', ({ shards: [a, b] }) => Object.assign(b ?? {}, { path: a?.path })],
  ['with a file twice', ({ shards: [a, b] }) => Object.assign(b ?? {}, { path: `./${a?.path}` })],
  ['with itself as a shard', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'registry-manifest.json' })],
  ['that leads to a file', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'file:///etc/passwd' })],
  ['that leads nowhere', ({ shards: [shard] }) => Object.assign(shard ?? {}, { path: 'http://[' })],
];

test.each(cases)('a manifest that is not good %s is refused before any shard is asked for', async (_how, change) => {
  spoil(change);
  const paths = await pathsDuring(async () => {
    expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
  });
  expect(paths).toEqual(['/registry.json', '/registry-manifest.json']);
});

test('a manifest that is not good of more than two thousand shards is refused', async () => {
  const names = (count: number) => (manifest: ManifestJson) => {
    const [first] = manifest.shards;
    manifest.shards = Array.from({ length: count }, (_, at) => ({ ...first, id: `${at}`, path: `${at}` }) as ShardJson);
    manifest.shard_count = count;
  };
  const limits = { ...LIMITS, maxBytes: 1_000_000 };
  spoil(names(2_001));
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'bad_manifest' });
  spoil(names(2_000));
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'http_status' });
});

test.each([
  ['one shard', (shards: ShardJson[]) => Object.assign(shards[0] ?? {}, { bytes: 65 * 1024 * 1024 })],
  ['all shards', (shards: ShardJson[]) => shards.map((shard) => Object.assign(shard, { bytes: 60 * 1024 * 1024 }))],
])('a manifest that is not good that announces too many bytes in %s is refused', async (_what, change) => {
  spoil(({ shards }) => change(shards), shardsOf(9));
  const limits = { ...LIMITS, maxBytes: 256 * 1024 * 1024 };
  expect(await failureOf(upstream.url, { limits })).toMatchObject({ code: 'too_large' });
});

test.each(['null', '[]', '<html>', '', '{"shards":'])('a manifest that is not good %j is refused', async (text) => {
  upstream.serveFiles({ ...shardedFiles(shardsOf(1)), '/registry-manifest.json': text });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
});

test('a manifest that is not good is refused when it is a pointer, or the pointer is its own', async () => {
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

test('a manifest that is not good is refused when a shard is a pointer', async () => {
  upstream.serveShards([[], { manifest: '../registry-manifest.json' }]);
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'bad_manifest' });
});

test('a manifest that is not good fails the source when it is not there', async () => {
  upstream.serve({ manifest: 'nowhere.json' });
  upstream.serveFiles({ '/registry.json': '{"manifest":"nowhere.json"}' });
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'http_status' });
});

test.each([
  { manifest: 'registry-manifest.json', skills: [] },
  { manifest: 'registry-manifest.json', items: [] },
  { manifest: { name: 'a skill called manifest' } },
  ['manifest'],
  { manifest: 'registry-manifest.json', padding: ' '.repeat(65_536) },
])('what is no pointer is one file', async (document) => {
  upstream.serve(document);
  expect((await fetchFiles(upstream.url)).files.recordDocuments).toEqual([0]);
});

describe('a manifest at another origin', () => {
  let other: FakeUpstream;
  beforeEach(async () => {
    other = await startUpstream();
    other.serveFiles(shardedFiles(shardsOf(2)));
    upstream.serveFiles({
      '/registry.json': JSON.stringify({ manifest: new URL('registry-manifest.json', other.url) }),
    });
  });
  afterEach(() => other.close());

  test('is fetched, with its shards, without the credentials of the source', async () => {
    const url = upstream.url.replace('http://', 'http://user:secret@');
    const { files } = await fetchFiles(url, { isInternal: () => false });
    expect(files.documents).toHaveLength(4);
    expect(upstream.requests.at(-1)?.headers.authorization).toMatch(/^Basic /);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
  });

  test('is refused when that is internal, even if the source is in the same network', async () => {
    expect(await failureOf(upstream.url)).toMatchObject({ code: 'private_address' });
    expect(other.requests).toEqual([]);
  });

  test('at the same origin gets the credentials, and may be as internal as the source', async () => {
    upstream.serveShards(shardsOf(2));
    const { validators } = await fetchFiles(upstream.url.replace('http://', 'http://user:secret@'));
    const sent = upstream.requests.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([`Basic ${Buffer.from('user:secret').toString('base64')}`]));
    expect(sent).toHaveLength(4);
    expect(JSON.stringify(validators)).not.toContain('secret');
  });

  test('is refused when the host of a public source leads into an internal network the next time', async () => {
    upstream.serveShards(shardsOf(2));
    const isInternal = () => upstream.requests.length > 0;
    expect(await failureOf(upstream.url, { isInternal })).toMatchObject({ code: 'private_address' });
    expect(upstream.requests).toHaveLength(1);
  });
});
