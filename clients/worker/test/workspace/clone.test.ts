import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { keepCopy } from '../../src/workspace/git-workspace.ts';
import { sweepCache } from '../../src/workspace/repository-cache.ts';
import { git, Repositories } from '../support/repositories.ts';

const repositories = new Repositories();

const refused = (message: RegExp | string) =>
  expect.objectContaining({ code: 'workspace_failed', retryable: false, message: expect.stringMatching(message) });
const mayWork = (message: RegExp | string) =>
  expect.objectContaining({ code: 'workspace_failed', retryable: true, message: expect.stringMatching(message) });

test('clones a branch, a tag, a commit, or the default branch', async () => {
  const first = repositories.commit({ 'a.txt': 'one\n' });
  git(repositories.path('repo'), 'tag', '-a', '-m', 'Version 1', 'v1');
  const second = repositories.commit({ 'a.txt': 'two\n' });
  for (const [ref, commit, branch] of [
    [undefined, second, 'task'],
    [null, second, 'task'],
    ['main', second, 'main'],
    ['refs/heads/main', second, 'main'],
    ['v1', first, 'v1'],
    [first, first, 'task'],
  ] as const) {
    const { folder } = await repositories.clone(ref);
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(commit);
    expect(git(folder, 'status', '--porcelain', '--branch')).toContain(`## ${branch}`);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(commit === first ? 'one\n' : 'two\n');
  }
});

test('fetches a repository once for attempts at the same time, and again only what is new', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const fetches = () => repositories.server.requests.filter((path) => path.endsWith('/git-upload-pack')).length;
  await Promise.all([repositories.clone('main'), repositories.clone('main'), repositories.clone('main')]);
  // Each asks for the refs; one asks for objects as well.
  expect(fetches()).toBe(4);
  const second = repositories.commit({ 'a.txt': 'two\n' });
  const { folder } = await repositories.clone('main');
  expect(git(folder, 'rev-parse', 'HEAD')).toBe(second);
  const before = repositories.server.requests.length;
  await repositories.clone(second);
  expect(repositories.server.requests).toHaveLength(before);
  expect(readdirSync(repositories.cache)).toHaveLength(1);
});

test('gives each clone its own objects, no hooks, and no credentials', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const { folder } = await repositories.clone('main');
  expect(existsSync(join(folder, '.git/objects/info/alternates'))).toBe(false);
  expect(existsSync(join(folder, '.git/hooks'))).toBe(false);
  const objects = readdirSync(join(folder, '.git/objects'), { recursive: true, withFileTypes: true });
  for (const object of objects.filter((entry) => entry.isFile())) {
    expect(statSync(join(object.parentPath, object.name)).nlink).toBe(1);
  }
  expect(git(folder, 'config', 'remote.origin.url')).toBe(repositories.url());
  expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toMatch(/credential|extraheader|password/i);
});

test('uses the credentials that Git finds in the environment of the worker, and leaves none behind', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const seen: (string | undefined)[] = [];
  const url = await serveUntilEnd(async (req, res) => {
    seen.push(req.headers.authorization);
    if (req.headers.authorization === undefined) {
      return void res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = Object.fromEntries(
      ['content-type', 'git-protocol', 'content-encoding'].flatMap((name) =>
        req.headers[name] === undefined ? [] : [[name, String(req.headers[name])]],
      ),
    );
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const response = await fetch(repositories.server.url + req.url, { method: req.method, headers, body });
    res.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' });
    res.end(Buffer.from(await response.arrayBuffer()));
  });
  const home = repositories.path('home');
  const options = { workspace: { repository: `${url}/repo/.git`, ref: 'main' }, allowed: [url] };
  await expect(repositories.clone('main', options)).rejects.toEqual(refused(/Username|Authentication/i));

  writeFiles(home, { '.gitconfig': `[credential]\n\thelper = "!echo username=u; echo password=secret-p; :"\n` });
  const { folder } = await repositories.clone('main', options);
  expect(git(folder, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  const basic = `Basic ${Buffer.from('u:secret-p').toString('base64')}`;
  expect(seen.at(-1)).toBe(basic);
  for (const root of [folder, repositories.cache]) {
    const found = execFileSync('sh', ['-c', 'grep -rlE "secret-p|dTpzZWNyZXQtcA" "$1" || true', 'sh', root]);
    expect(found.toString()).toBe('');
  }
});

test('clones only what is allowed, and files only when they are allowed by name', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  await expect(repositories.clone('main', { allowed: [] })).rejects.toEqual(refused('no --repository'));
  await expect(repositories.clone('main', { allowed: ['https://git.example.com'] })).rejects.toEqual(
    refused(/may not/),
  );
  const repository = pathToFileURL(repositories.path('repo')).href;
  await expect(repositories.clone('main', { workspace: { repository } })).rejects.toEqual(refused('may not'));
  const { folder } = await repositories.clone('main', {
    workspace: { repository, ref: 'main' },
    allowed: [pathToFileURL(repositories.root).href],
  });
  expect(existsSync(join(folder, 'a.txt'))).toBe(true);
});

test('says whether another attempt may help', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  await expect(repositories.clone('v9')).rejects.toEqual(refused(/v9/));
  await expect(repositories.clone('0'.repeat(40))).rejects.toEqual(refused(/not our ref/));
  for (const ref of ['--upload-pack=touch', 'a b', 'a:b', '+main', 'a..b', 'refs/heads/*', '', '/', 'a^']) {
    await expect(repositories.clone(ref)).rejects.toEqual(refused('is not a branch'));
  }
  const missing = { repository: repositories.url('nothing') };
  await expect(repositories.clone(null, { workspace: missing })).rejects.toEqual(refused('not found'));
  const down = { workspace: { repository: 'http://127.0.0.1:1/repo' }, allowed: ['http://127.0.0.1:1'] };
  await expect(repositories.clone(null, down)).rejects.toEqual(mayWork('127.0.0.1'));
  for (const [status, expected] of [
    [503, mayWork('503')],
    [403, refused('403')],
  ] as const) {
    const server = await startGitServer(repositories.root, { status });
    const options = { workspace: { repository: `${server.url}/repo/.git` }, allowed: [server.url] };
    await expect(repositories.clone(null, options)).rejects.toEqual(expected);
  }
});

test('does not follow a redirect to another server', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const url = await serveUntilEnd((req, res) => {
    res.writeHead(301, { location: repositories.server.url + req.url }).end();
  });
  const options = { workspace: { repository: `${url}/repo/.git` }, allowed: [url] };
  await expect(repositories.clone(null, options)).rejects.toMatchObject({ code: 'workspace_failed' });
  expect(repositories.server.requests).toEqual([]);
});

test('ends with its signal, also while another attempt fetches', async () => {
  const url = await serveUntilEnd(() => {});
  const aborts = new AbortController();
  const options = { workspace: { repository: `${url}/repo` }, allowed: [url], signal: aborts.signal };
  const first = repositories.clone(null, { ...options, signal: AbortSignal.timeout(1000) });
  const second = repositories.clone(null, options);
  setTimeout(() => aborts.abort(new Error('cancelled')), 100);
  await Promise.all([expect(second).rejects.toThrow('cancelled'), expect(first).rejects.toThrow(/timeout/)]);
});

test('runs nothing that a repository brings', async () => {
  const proof = repositories.path('proof');
  const run = `touch ${proof}`;
  repositories.commit({
    'a.txt': 'one\n',
    '.gitattributes': '* filter=evil diff=evil merge=evil\n',
    '.gitconfig': `[filter "evil"]\n\tsmudge = ${run}\n`,
    '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${repositories.url('other')}\n`,
    'hooks/post-checkout': `#!/bin/sh\n${run}\n`,
  });
  const other = repositories.commit({ 'b.txt': 'two\n' }, 'other');
  git(repositories.path('repo'), 'update-index', '--add', '--cacheinfo', `160000,${other},sub`);
  git(repositories.path('repo'), 'commit', '--quiet', '-m', 'Add');
  const { folder } = await repositories.clone('main');
  expect(existsSync(proof)).toBe(false);
  expect(readdirSync(join(folder, 'sub'))).toEqual([]);
  expect(repositories.server.requests.filter((path) => path.includes('other'))).toEqual([]);

  repositories.commit({ '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = x\n\tupdate = !${run}\n` });
  await expect(repositories.clone('main')).rejects.toEqual(refused('fsck'));
});

test('makes links that stay inside, and none at all when one does not', async () => {
  mkdirSync(repositories.path('repo/a/b'), { recursive: true });
  const link = (target: string, path: string) => symlinkSync(target, repositories.path(`repo/${path}`));
  link('../../top.txt', 'a/b/up');
  link('a', 'down');
  repositories.commit({ 'top.txt': 'top\n' });
  const { folder } = await repositories.clone('main');
  expect(lstatSync(join(folder, 'a/b/up')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'down/b/up'), 'utf8')).toBe('top\n');

  for (const [at, target] of ['/etc/passwd', '../outside', 'a/../../outside', 'a/b/../x', '.git/config'].entries()) {
    git(repositories.path('repo'), 'checkout', '--quiet', '-b', `evil-${at}`, 'main');
    link(target, 'evil');
    repositories.commit({});
    const { folder, workspace } = await repositories.clone(`evil-${at}`);
    expect(lstatSync(join(folder, 'evil')).isFile()).toBe(true);
    expect(readFileSync(join(folder, 'evil'), 'utf8')).toBe(target);
    expect(lstatSync(join(folder, 'down')).isFile()).toBe(true);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(await workspace.changes(new AbortController().signal)).toMatchObject({ files: [], patch: '' });
  }
});

test('refuses a repository that is too large, or becomes so when it is checked out', async () => {
  repositories.commit({ 'zeros.bin': Buffer.alloc(3_000_000) });
  const maxBytes = 1_000_000;
  await expect(repositories.clone('main', { maxBytes })).rejects.toEqual(refused('more than'));
  repositories.commit({ 'noise.bin': randomBytes(1_500_000) }, 'noise');
  const workspace = { repository: repositories.url('noise') };
  await expect(repositories.clone('main', { maxBytes, workspace })).rejects.toEqual(refused('more than'));
  expect(readdirSync(repositories.cache)).toHaveLength(1);
});

test('begins its copy of a repository anew when that has grown too large, unless another one needs it', async () => {
  const maxBytes = 1_000_000;
  const clone = () => repositories.clone('main', { maxBytes });
  repositories.commit({ 'noise.bin': randomBytes(700_000) });
  const first = await clone();
  const release = keepCopy(first.workspace.clone, repositories.cache);
  git(repositories.path('repo'), 'update-ref', '-d', 'refs/heads/main');
  const commit = repositories.commit({ 'noise.bin': randomBytes(700_000) });
  await expect(clone()).rejects.toEqual(mayWork('other attempts'));
  expect(await first.workspace.changes()).toMatchObject({ files: [] });
  release();
  const second = await clone();
  expect(git(second.folder, 'rev-parse', 'HEAD')).toBe(commit);
});

test('refuses a tree of more files than there is room for', async () => {
  const folder = repositories.path('repo');
  repositories.commit({ x: 'x' });
  let tree = git(folder, 'rev-parse', 'HEAD^{tree}');
  for (let level = 0; level < 10; level++) {
    const list = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\t${at}\n`).join('');
    tree = execFileSync('git', ['-C', folder, 'mktree'], { input: list, encoding: 'utf8' }).trim();
  }
  git(folder, 'update-ref', 'refs/heads/bomb', git(folder, 'commit-tree', tree, '-m', 'Bomb'));
  await expect(repositories.clone('bomb')).rejects.toEqual(refused('too many files'));
});

test('sweeps what was not used for long, and the oldest when all is too large', async () => {
  for (const name of ['repo', 'b', 'c']) {
    repositories.commit({ 'a.bin': randomBytes(50_000) }, name);
    await repositories.clone('main', { workspace: { repository: repositories.url(name) } });
    for (const entry of readdirSync(repositories.cache)) {
      const path = join(repositories.cache, entry);
      const before = new Date(statSync(path).mtimeMs - 60_000);
      utimesSync(path, before, before);
    }
  }
  mkdirSync(join(repositories.cache, 'changes-old'));
  writeFileSync(join(repositories.cache, 'changes-old/x'), '');
  utimesSync(join(repositories.cache, 'changes-old'), 1, 1);
  const left = () => readdirSync(repositories.cache).length;
  await sweepCache(repositories.cache, { maxBytes: 1e9, maxAgeMs: 150_000 });
  expect(left()).toBe(2);
  await sweepCache(repositories.cache, { maxBytes: 100_000, maxAgeMs: 1e9 });
  expect(left()).toBe(1);
  await sweepCache(repositories.path('nothing'), { maxBytes: 1, maxAgeMs: 1 });
});
