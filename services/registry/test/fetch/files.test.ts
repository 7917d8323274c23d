import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, test } from '@jest/globals';
import { packDocument } from '../../src/source/document.ts';
import { registryOf, shardedFiles } from '../support/fake-upstream.ts';
import { openFolder } from '../support/opened.ts';
import { failureOf, fetchFiles, fetchFrom } from './fetching.ts';

const BODY = JSON.stringify([{ name: 'one' }]);
const shards = [registryOf(2, 'a').skills, registryOf(3, 'b').skills];

let root: string;
let folder: string;
let file: string;
let url: string;
beforeEach(() => {
  root = openFolder();
  folder = join(root, 'registry');
  mkdirSync(folder);
  file = join(folder, 'registry.json');
  url = pathToFileURL(file).href;
});

function write(files: Record<string, string>): void {
  for (const [path, body] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
  }
}

test('a file that is missing, too large, a folder or a pipe is refused', async () => {
  expect(await failureOf(`${url}.none`)).toMatchObject({ code: 'unreadable_file' });
  writeFileSync(file, '');
  truncateSync(file, 100_001);
  expect(await failureOf(url)).toMatchObject({ code: 'too_large' });
  expect(await failureOf(pathToFileURL(folder).href)).toMatchObject({ code: 'unreadable_file' });
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(await failureOf(pathToFileURL(pipe).href)).toMatchObject({ code: 'unreadable_file' });
});

test('a file that was just written has no validator, and counts as unchanged if its bytes are equal', async () => {
  writeFileSync(file, BODY);
  const known = await fetchFiles(url);
  expect(known).toMatchObject({ texts: [BODY], validators: { root: { etag: null, lastModified: null } } });
  expect((await fetchFrom(url, { known })).status).toBe('unchanged');
  writeFileSync(file, BODY.replace('one', 'two'));
  expect((await fetchFrom(url, { known })).status).toBe('fetched');
});

test('a file that is two seconds old is unchanged by its validator, without reading it', async () => {
  writeFileSync(file, BODY);
  await sleep(2_100);
  const known = await fetchFiles(url);
  const { root } = known.validators;
  expect(root.etag).not.toBeNull();
  // The bytes differ: only a reader that does not compare bytes reports the file as unchanged.
  const other = await packDocument(Buffer.from('[]'));
  const files = { digest: other.digest, documents: [other], recordDocuments: [0] };
  const again = await fetchFrom(url, { known: { ...known, files } });
  expect(again).toMatchObject({ status: 'unchanged', validators: { root } });
  writeFileSync(file, BODY.replace('one', 'two'));
  expect((await fetchFrom(url, { known })).status).toBe('fetched');
});

test('a pointer in a file is refused when it leads to no file', async () => {
  write({ 'registry.json': JSON.stringify({ manifest: 'http://127.0.0.1/registry-manifest.json' }) });
  expect(await failureOf(url)).toMatchObject({ code: 'bad_manifest' });
  write({ 'registry.json': JSON.stringify({ manifest: 'a%2Fb' }) });
  expect(await failureOf(url)).toMatchObject({ code: 'bad_manifest' });
});

test('a registry in shards is read from files, and unchanged shards are recognised', async () => {
  write(shardedFiles(shards));
  const known = await fetchFiles(url);
  expect(known.texts).toEqual(Object.values(shardedFiles(shards)));
  expect(known.files).toMatchObject({ recordDocuments: [2, 3], counts: [2, 3], totalCount: 5 });
  expect((await fetchFrom(url, { known })).status).toBe('unchanged');
});

test('a shard that is missing or differs from the manifest is refused', async () => {
  write(shardedFiles(shards));
  write({ 'registry-shards/01.json': '[]' });
  expect(await failureOf(url)).toMatchObject({ code: 'wrong_digest' });
  rmSync(join(folder, 'registry-shards/01.json'));
  expect(await failureOf(url)).toMatchObject({ code: 'unreadable_file' });
});

test('no file outside the folder of the pointer is read, not even by a symbolic link', async () => {
  const outside = join(root, 'outside.json');
  writeFileSync(outside, JSON.stringify(shards[0]));
  for (const path of ['../outside.json', '%2e%2e/outside.json', pathToFileURL(outside).href, outside, '..']) {
    write(shardedFiles(shards, ({ shards: [shard] }) => Object.assign(shard ?? {}, { path })));
    expect([path, await failureOf(url)]).toEqual([path, expect.objectContaining({ code: 'bad_manifest' })]);
    write({ 'registry.json': JSON.stringify({ manifest: path }) });
    expect([path, await failureOf(url)]).toEqual([path, expect.objectContaining({ code: 'bad_manifest' })]);
  }
  write(shardedFiles(shards));
  rmSync(join(folder, 'registry-shards/00.json'));
  symlinkSync(outside, join(folder, 'registry-shards/00.json'));
  expect(await failureOf(url)).toMatchObject({ code: 'bad_manifest' });
});

test('a folder is read as the list of its skills, whose files belong to it', async () => {
  const review = '---\nname: review\ndescription: Reviews: code.\nmetadata:\n  category: care\n---\n\n# R\n';
  const quoted = review.replace('Reviews: code.', '"Reviews: code."');
  write({
    'a b/SKILL.md': '\uFEFF---\r\nname: sing\r\ndescription: Sings.\r\n---\r\n',
    'broken/SKILL.md': review,
    'review/SKILL.md': quoted,
    'none/README.md': 'No skill.',
    'categories.json': '[{"id":"care","name":"Care"}]',
  });
  const known = await fetchFiles(`${dirname(url)}/`);
  const [list = '', ...files] = known.texts;
  expect(files).toEqual([expect.stringContaining('sing'), review, quoted]);
  const digestOf = (text: string | undefined) => `sha256:${hash('sha256', text ?? '')}`;
  expect(JSON.parse(list)).toEqual({
    categories: [{ id: 'care', name: 'Care' }],
    skills: [
      { id: 'a b', name: 'sing', description: 'Sings.', digest: digestOf(files[0]) },
      { id: 'broken', name: 'broken', digest: digestOf(review) },
      {
        id: 'review',
        name: 'review',
        description: 'Reviews: code.',
        metadata: { category: 'care' },
        digest: digestOf(quoted),
      },
    ],
  });
  expect((await fetchFrom(`${dirname(url)}/`, { known })).status).toBe('unchanged');
  write({ 'broken/SKILL.md': quoted });
  expect((await fetchFrom(`${dirname(url)}/`, { known })).status).toBe('fetched');
});

test('a skill of a folder that is a link to a file elsewhere is refused', async () => {
  write({ 'one/SKILL.md': '---\nname: one\n---\n' });
  mkdirSync(join(folder, 'two'));
  writeFileSync(join(root, 'secret'), 's');
  symlinkSync(join(root, 'secret'), join(folder, 'two/SKILL.md'));
  expect(await failureOf(`${dirname(url)}/`)).toMatchObject({ code: 'bad_manifest' });
});
