import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { cutPatch } from '../../src/workspace/changes.ts';
import { git, Repositories } from '../support/repositories.ts';

const repositories = new Repositories();
const lines = (count: number, text = 'line') => Array.from({ length: count }, (_, at) => `${text} ${at}\n`).join('');

test('tells what was added, changed and deleted, whether it was committed or not', async () => {
  const base = repositories.commit({
    'keep.txt': 'same\n',
    'change.txt': lines(30),
    'gone.txt': 'gone\n',
    'run.sh': '#!/bin/sh\n',
    'folder/was': 'a folder\n',
    '.gitignore': 'node_modules/\n*.log\n',
  });
  const { folder, workspace } = await repositories.clone('main');
  expect(await workspace.changes()).toEqual({
    ...{ base, head: base, patch: '', patch_truncated: false, files: [], files_truncated: false },
  });
  writeFiles(folder, { 'change.txt': lines(30).replace('line 15', 'other 15'), 'new é.txt': 'new\n' });
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', 'Work');
  const head = git(folder, 'rev-parse', 'HEAD');
  writeFiles(folder, { 'data.bin': Buffer.from([0, 1, 2]), 'node_modules/x/index.js': 'x\n', 'debug.log': 'x\n' });
  rmSync(join(folder, 'gone.txt'));
  chmodSync(join(folder, 'run.sh'), 0o755);
  rmSync(join(folder, 'folder'), { recursive: true });
  writeFiles(folder, { folder: 'a file\n' });

  const changes = await workspace.changes();
  expect(changes).toMatchObject({ base, head, patch_truncated: false, files_truncated: false });
  expect(changes.files).toEqual([
    { path: 'change.txt', status: 'modified', added: 1, removed: 1 },
    { path: 'data.bin', status: 'added', added: null, removed: null },
    { path: 'folder', status: 'added', added: 1, removed: 0 },
    { path: 'folder/was', status: 'deleted', added: 0, removed: 1 },
    { path: 'gone.txt', status: 'deleted', added: 0, removed: 1 },
    { path: 'new é.txt', status: 'added', added: 1, removed: 0 },
    { path: 'run.sh', status: 'modified', added: 0, removed: 0 },
  ]);
  expect(changes.patch).toContain('-line 15\n+other 15\n');
  expect(changes.patch).toContain('new é.txt');
  expect(changes.patch).toContain('new mode 100755');

  // The patch is one that Git applies.
  const { folder: other } = await repositories.clone(base);
  const text = changes.patch.replace(/diff --git a\/data.bin.*?(?=\ndiff --git)\n/s, '');
  execFileSync('git', ['-C', other, 'apply', '-'], { input: text });
  expect(readFileSync(join(other, 'folder'), 'utf8')).toBe('a file\n');
});

test('names the commit of HEAD wherever Git keeps it, and the base when it names none', async () => {
  const base = repositories.commit({ 'a.txt': 'one\n' });
  const { folder, workspace } = await repositories.clone('main');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Work');
  const head = git(folder, 'rev-parse', 'HEAD');
  const headOf = async () => (await workspace.changes()).head;
  git(folder, 'pack-refs', '--all');
  expect(await headOf()).toBe(head);
  git(folder, 'checkout', '--quiet', '--detach');
  expect(await headOf()).toBe(head);
  for (const content of ['', 'nonsense', 'ref: refs/heads/../../../../secret', 'ref: refs/heads/none']) {
    writeFileSync(join(folder, '.git/HEAD'), content);
    expect(await headOf()).toBe(base);
  }
  rmSync(join(folder, '.git/HEAD'));
  writeFileSync(repositories.path('secret'), 'f'.repeat(40));
  symlinkSync(repositories.path('secret'), join(folder, '.git/HEAD'));
  expect(await headOf()).toBe(base);
  rmSync(join(folder, '.git'), { recursive: true });
  expect(await headOf()).toBe(base);
});

test('runs nothing that an agent has planted', async () => {
  repositories.commit({ 'a.txt': 'one\n', 'b.dat': 'two\n' });
  const { folder, workspace } = await repositories.clone('main');
  const proof = repositories.path('proof');
  const script = join(repositories.root, 'planted.sh');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${proof}\ncat\n`);
  chmodSync(script, 0o755);
  const plant = (target: string) => {
    for (const [name, value] of [
      ['core.fsmonitor', script],
      ['core.hooksPath', repositories.root],
      ['core.sshCommand', script],
      ['core.pager', script],
      ['core.editor', script],
      ['diff.external', script],
      ['diff.evil.textconv', script],
      ['diff.evil.command', script],
      ['filter.evil.clean', script],
      ['filter.evil.smudge', script],
      ['filter.evil.process', script],
      ['filter.evil.required', 'true'],
      ['merge.evil.driver', script],
      ['core.attributesFile', join(target, '.gitattributes')],
      ['core.alternateRefsCommand', script],
      ['uploadpack.packObjectsHook', script],
      ['credential.helper', script],
      ['gpg.program', script],
      ['alias.diff', `!${script}`],
    ] as const) {
      git(target, 'config', name, value);
    }
    for (const hook of [
      'post-index-change',
      'pre-commit',
      'post-checkout',
      'fsmonitor-watchman',
      'reference-transaction',
    ]) {
      writeFiles(target, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho hook >> ${proof}\n` });
      chmodSync(join(target, '.git/hooks', hook), 0o755);
    }
    writeFiles(target, { '.gitattributes': '* filter=evil diff=evil merge=evil ident\n' });
  };
  plant(folder);
  writeFiles(folder, { '.git/info/attributes': '* filter=evil diff=evil\n', '.git/objects/info/alternates': '/etc\n' });
  // A nested repository, one where a submodule could be, and a `.git` file that leads elsewhere.
  for (const nested of ['nested', 'deep/er']) {
    mkdirSync(join(folder, nested), { recursive: true });
    git(join(folder, nested), 'init', '--quiet');
    writeFiles(join(folder, nested), { 'inner.txt': 'inner\n' });
    git(join(folder, nested), 'add', 'inner.txt');
    git(join(folder, nested), 'commit', '--quiet', '-m', 'Inner');
    plant(join(folder, nested));
  }
  writeFiles(folder, {
    'linked/.git': `gitdir: ${join(folder, 'nested/.git')}\n`,
    'linked/x.txt': 'x\n',
    'a.txt': 'changed\n',
  });
  // The plants work: Git itself runs them.
  spawnSync('git', ['-C', folder, 'status'], { stdio: 'ignore', env: { PATH: process.env.PATH } });
  expect(existsSync(proof)).toBe(true);
  rmSync(proof);

  const changes = await workspace.changes();
  expect(existsSync(proof)).toBe(false);
  expect(changes.files.map(({ path }) => path)).toEqual([
    '.gitattributes',
    'a.txt',
    'deep/er/.gitattributes',
    'deep/er/inner.txt',
    'linked/x.txt',
    'nested/.gitattributes',
    'nested/inner.txt',
  ]);
  expect(changes.patch).toContain('+changed');
});

test('follows no link out of the workspace', async () => {
  repositories.commit({ 'dir/secret.txt': 'harmless\n', 'file.txt': 'harmless\n' });
  const { folder, workspace } = await repositories.clone('main');
  writeFiles(repositories.path('outside'), { 'secret.txt': 'the secret\n', '.gitignore': 'file.txt\n' });
  rmSync(join(folder, 'dir'), { recursive: true });
  symlinkSync(repositories.path('outside'), join(folder, 'dir'));
  rmSync(join(folder, 'file.txt'));
  symlinkSync(repositories.path('outside/secret.txt'), join(folder, 'file.txt'));
  const isLink = await workspace.changes();
  expect(isLink.patch).toContain(`+${repositories.path('outside')}\n`);
  // An ignored link does not take the place of the folder.
  writeFiles(folder, { '.gitignore': '/dir\n' });
  const changes = await workspace.changes();
  expect(changes.patch).not.toContain('the secret');
  expect(changes.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
    'added .gitignore',
    'deleted dir/secret.txt',
    'modified file.txt',
  ]);
});

test('reads no other folder that is put in the place of the workspace', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const { folder, workspace } = await repositories.clone('main');
  writeFiles(repositories.path('outside'), { 'secret.txt': 'the secret\n' });
  rmSync(folder, { recursive: true });
  await expect(workspace.changes()).rejects.toMatchObject({ code: 'workspace_failed' });
  symlinkSync(repositories.path('outside'), folder);
  await expect(workspace.changes()).rejects.toMatchObject({ code: 'workspace_failed' });
});

test('waits for no pipe, and leaves out what is too large or no file', async () => {
  repositories.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'big.bin': Buffer.alloc(11 * 1024 * 1024) });
  const { folder, workspace } = await repositories.clone('main');
  for (const name of ['a.txt', 'new-pipe']) {
    rmSync(join(folder, name), { force: true });
    execFileSync('mkfifo', [join(folder, name)]);
  }
  writeFiles(folder, { 'sparse.bin': '' });
  truncateSync(join(folder, 'sparse.bin'), 10 * 1024 ** 3);
  const changes = await workspace.changes();
  expect(changes.files).toEqual([
    { path: 'a.txt', status: 'deleted', added: 0, removed: 1 },
    { path: 'sparse.bin', status: 'added', added: null, removed: null },
  ]);
  expect(changes).toMatchObject({ patch_truncated: true, files_truncated: false });
  expect(changes.patch).not.toContain('sparse');
});

test('cuts a long patch at a hunk, and a long list of files', async () => {
  repositories.commit({ 'a.txt': lines(20_000) });
  const { folder, workspace } = await repositories.clone('main');
  writeFiles(folder, { 'a.txt': lines(20_000).replaceAll(/line (\d*)00\n/g, 'changed $100\n') });
  for (let at = 0; at < 600; at++) writeFiles(folder, { [`new/${at}.txt`]: lines(30, 'é') });
  const changes = await workspace.changes();
  expect(Buffer.byteLength(changes.patch)).toBeLessThanOrEqual(256 * 1024);
  expect(Buffer.byteLength(changes.patch)).toBeGreaterThan(200 * 1024);
  expect(changes).toMatchObject({ patch_truncated: true, files_truncated: true });
  expect(changes.files).toHaveLength(500);
  const { folder: other } = await repositories.clone('main');
  execFileSync('git', ['-C', other, 'apply', '-'], { input: changes.patch });
});

test('cuts a patch before a hunk, a file, or all of it', () => {
  const head = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n';
  const hunk = '@@ -1 +1 @@\n-diff --git\n+@@ y\n';
  const cut = (text: string, maxBytes: number) => cutPatch(Buffer.from(text), maxBytes);
  const whole = head + hunk + hunk;
  expect(cut(whole, whole.length)).toEqual({ text: whole, isCut: false });
  expect(cut(whole, whole.length - 1)).toEqual({ text: head + hunk, isCut: true });
  expect(cut(head + hunk, head.length + 15)).toEqual({ text: '', isCut: true });
  expect(cut(whole + head + hunk, whole.length + head.length + 5)).toEqual({ text: whole, isCut: true });
});

test('leaves nothing behind in the cache, and ends with the signal', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const { folder, workspace } = await repositories.clone('main');
  writeFiles(folder, { 'a.txt': 'two\n' });
  const sizeOf = () => execFileSync('sh', ['-c', 'find "$1" -type f | sort', 'sh', repositories.cache]).toString();
  const before = sizeOf();
  await workspace.changes();
  await expect(workspace.changes(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(sizeOf()).toBe(before);
});
