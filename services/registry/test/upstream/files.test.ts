import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { packDocument } from '../../src/upstream/document.ts';
import { registryOf, shardedFiles } from '../fake-upstream.ts';
import { failureOf, fetchFiles, fetchFrom } from './fetching.ts';

const BODY = JSON.stringify([{ name: 'one' }]);
const shards = [registryOf(2, 'a').skills, registryOf(3, 'b').skills];
const root = mkdtempSync(join(tmpdir(), 'fleet-source-'));
afterAll(() => rmSync(root, { recursive: true }));

let folder: string;
let file: string;
let url: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'registry-'));
  file = join(folder, 'registry.json');
  url = pathToFileURL(file).href;
});

function write(files: Record<string, string>): void {
  for (const [path, body] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
  }
}

test('reading a file gives its bytes', async () => {
  writeFileSync(file, BODY);
  const { files, texts, validators } = await fetchFiles(url);
  expect(texts).toEqual([BODY]);
  expect(files.recordDocuments).toEqual([0]);
  expect(validators.root.lastModified).toBeNull();
});

test('reading a file refuses what is missing, too large, a folder or a pipe', async () => {
  expect(await failureOf(`${url}.none`)).toMatchObject({ code: 'unreadable_file' });
  writeFileSync(file, '');
  truncateSync(file, 100_001);
  expect(await failureOf(url)).toMatchObject({ code: 'too_large' });
  expect(await failureOf(pathToFileURL(folder).href)).toMatchObject({ code: 'unreadable_file' });
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(await failureOf(pathToFileURL(pipe).href)).toMatchObject({ code: 'unreadable_file' });
});

test('reading a file takes a file that was just written for changed only when its bytes are', async () => {
  writeFileSync(file, BODY);
  const known = await fetchFiles(url);
  expect(known.validators.root.etag).toBeNull();
  expect((await fetchFrom(url, { known })).status).toBe('unchanged');
  writeFileSync(file, BODY.replace('one', 'two'));
  expect((await fetchFrom(url, { known })).status).toBe('fetched');
});

test('reading a file knows a file again that has not been touched for two seconds', async () => {
  writeFileSync(file, BODY);
  await sleep(2_100);
  const known = await fetchFiles(url);
  const { root } = known.validators;
  expect(root.etag).not.toBeNull();
  // Only who does not look at the bytes can take them for others.
  const other = await packDocument(Buffer.from('[]'));
  const files = { digest: other.digest, documents: [other], recordDocuments: [0] };
  const again = await fetchFrom(url, { known: { ...known, files } });
  expect(again).toMatchObject({ status: 'unchanged', validators: { root } });
  writeFileSync(file, BODY.replace('one', 'two'));
  expect((await fetchFrom(url, { known })).status).toBe('fetched');
});

test('reading a file refuses addresses behind a pointer that are no files', async () => {
  write({ 'registry.json': JSON.stringify({ manifest: 'http://127.0.0.1/registry-manifest.json' }) });
  expect(await failureOf(url)).toMatchObject({ code: 'bad_manifest' });
  write({ 'registry.json': JSON.stringify({ manifest: 'a%2Fb' }) });
  expect(await failureOf(url)).toMatchObject({ code: 'bad_manifest' });
});

test('reading a registry in shards from files gives all of them, and unchanged when they are', async () => {
  write(shardedFiles(shards));
  const known = await fetchFiles(url);
  expect(known.texts).toEqual(Object.values(shardedFiles(shards)));
  expect(known.files).toMatchObject({ recordDocuments: [2, 3], counts: [2, 3], totalCount: 5 });
  expect((await fetchFrom(url, { known })).status).toBe('unchanged');
});

test('reading a registry in shards from files fails when one is missing or not what the manifest says', async () => {
  write(shardedFiles(shards));
  write({ 'registry-shards/01.json': '[]' });
  expect(await failureOf(url)).toMatchObject({ code: 'wrong_digest' });
  rmSync(join(folder, 'registry-shards/01.json'));
  expect(await failureOf(url)).toMatchObject({ code: 'unreadable_file' });
});

test('reading a registry in shards from files never leaves the folder of the pointer, not even by a link', async () => {
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
