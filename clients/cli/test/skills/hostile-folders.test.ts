import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { commitFiles, git, REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { listInstalled, removeSkills } from '../../src/skills/operations/installed.ts';
import { Workspace } from './support/workspace.ts';

/** A change of a good folder, or files in it, and what the refusal says. */
const FOLDERS: Record<string, [Record<string, string | Buffer> | ((folder: string) => unknown), RegExp]> = {
  'a link to an absolute path': [{ a: '-> /etc/passwd' }, /leads out/],
  'a link to a file beside it': [{ a: '-> ../outside/secret' }, /leads out/],
  'a link that leaves and comes back': [{ a: '-> ../skill/SKILL.md' }, /leads out/],
  'a link over another link': [{ a: '-> b/../../outside/secret', b: '-> notes' }, /leads out/],
  'links in a circle': [{ a: '-> b', b: '-> a' }, /round in circles/],
  'a link to the folder it is in': [{ 'notes/all': '-> .' }, /round in circles/],
  'a link to its root': [{ 'notes/all': '-> ..' }, /round in circles/],
  'a link that leads nowhere': [{ a: '-> nothing' }, /leads nowhere/],
  'a SKILL.md that is a link': [{ 'notes/SKILL.md': 'x', 'SKILL.md': '-> notes/SKILL.md' }, /is a link/],
  'names that differ in case only': [{ 'read.md': '1', 'READ.md': '2' }, /same file on some systems/],
  'folders that differ in case only': [{ 'Notes/b.md': '2' }, /same file on some systems/],
  'names that differ in normalisation only': [{ '\u00e9.md': '1', 'e\u0301.md': '2' }, /same file on some systems/],
  'a pipe': [(f) => execFileSync('mkfifo', [join(f, 'a')]), /a device, pipe or socket/],
  'a socket': [
    (f) => new Promise<void>((resolve) => createServer().listen(join(f, 'a'), resolve).unref()),
    /a device, pipe or socket/,
  ],
  'a repository inside': [{ 'notes/.git/hooks/pre-commit': 'x' }, /inside a folder of Git/],
  'a .GIT inside': [{ 'notes/.GIT': 'gitdir: /' }, /inside a folder of Git/],
  'control characters in a name': [{ 'a\u001b[2Jb': '' }, /characters that a path/],
  'a backslash in a name': [{ '..\\..\\a': '' }, /characters that a path/],
  'a drive in a name': [{ 'C:a': '' }, /absolute path/],
  'too many files': [
    Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`notes/${at}`, ''])),
    /more than 1000 files/,
  ],
  'too many files by links': [
    Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [
        `x${Math.floor(at / 10)}/${at % 10}`,
        at < 90 ? `-> ../x${Math.floor(at / 10) + 1}` : '',
      ]),
    ),
    /more than 1000 files|round in circles/,
  ],
  'a huge file': [
    (f) => {
      writeFileSync(join(f, 'big'), '');
      truncateSync(join(f, 'big'), 10 * 2 ** 40);
    },
    /more than 25 MiB/,
  ],
  'a link that multiplies a big file': [{ big: Buffer.alloc(13 * 2 ** 20), again: '-> big' }, /more than 25 MiB/],
  'a name against the specification': [{ 'SKILL.md': skillFile('Review_It') }, /against/],
  'a name that is a path': [{ 'SKILL.md': skillFile('../../evil') }, /against/],
  'no front matter': [{ 'SKILL.md': '# Review\n' }, /no front matter/],
  'a file that cannot be read': [(f) => chmodSync(join(f, 'notes/Ünï.md'), 0o000), /permission|EACCES/],
};

for (const [what, [change, message]] of Object.entries(FOLDERS)) {
  // Root can read everything.
  if (what === 'a file that cannot be read' && process.getuid?.() === 0) continue;
  test(`refuses a folder with ${what}, and writes nothing`, async () => {
    const workspace = new Workspace();
    const folder = workspace.write(REVIEW, 'skill');
    workspace.write({ 'outside/secret': 'secret' });
    if (typeof change === 'function') await change(folder);
    else workspace.write(change, 'skill');
    const before = JSON.stringify(workspace.snapshot('project')) + JSON.stringify(workspace.snapshot('outside'));
    await expect(addSkill(workspace.context(), folder, { force: true })).rejects.toThrow(message);
    expect(JSON.stringify(workspace.snapshot('project')) + JSON.stringify(workspace.snapshot('outside'))).toBe(before);
  });
}

test('copies what links inside the folder lead to', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  const links = {
    run: '-> scripts/run.sh',
    bin: '-> scripts',
    'notes/again': '-> ../bin/run.sh',
    'notes/more': '-> ../bin',
  };
  workspace.write(links, 'skill');
  await addSkill(workspace.context(), folder, {});
  const installed = 'project/.agents/skills/review';
  for (const path of ['run', 'bin/run.sh', 'notes/more/run.sh']) {
    expect(workspace.read(`${installed}/${path}`)).toBe(REVIEW['scripts/run.sh']);
  }
  expect(Object.values(workspace.snapshot(installed)).filter((content) => content.startsWith('-> '))).toEqual([]);
});

const TARGETS: Record<string, Record<string, string>> = {
  '.agents is a link out of the project': { '.agents': '-> ../outside' },
  '.agents/skills is a link out of the project': { '.agents/skills': '-> ../../outside' },
  '.agents is a link over another link': { '.agents': '-> inner', inner: '-> ../outside' },
  '.claude is a link out of the project': { '.claude': '-> ../outside' },
  'the lock file is a link': { 'skills-lock.json': '-> ../outside/secret' },
  '.agents is a file': { '.agents': '' },
};

for (const [what, files] of Object.entries(TARGETS)) {
  test(`writes nothing when ${what}`, async () => {
    const workspace = new Workspace();
    const folder = workspace.write(REVIEW, 'skill');
    workspace.write({ 'outside/secret': '{"version":1,"skills":{}}' });
    workspace.write(files, 'project');
    const before = workspace.snapshot('outside');
    const options = { agent: ['claude-code'], force: true };
    await expect(addSkill(workspace.context(), folder, options)).rejects.toThrow(/link|not a folder/);
    expect(workspace.snapshot('outside')).toEqual(before);
    expect(existsSync(workspace.path('project/.agents/skills/review'))).toBe(false);
  });
}

test('follows links to other folders of the project', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  mkdirSync(workspace.path('project/tools'));
  workspace.write({ '.agents': '-> tools', '.claude/skills': '-> ../.agents/skills' }, 'project');
  await addSkill(workspace.context(), folder, { agent: ['claude-code'] });
  expect(workspace.read('project/tools/skills/review/SKILL.md')).toBe(REVIEW['SKILL.md']);
  expect(workspace.read('project/.claude/skills/review/SKILL.md')).toBe(REVIEW['SKILL.md']);
});

test('does not remove through a link that somebody put in place of a folder', async () => {
  const workspace = new Workspace();
  await addSkill(workspace.context(), workspace.write(REVIEW, 'skill'), {});
  workspace.write({ 'outside/SKILL.md': skillFile('review') });
  rmSync(workspace.path('project/.agents/skills/review'), { recursive: true });
  workspace.write({ 'project/.agents/skills/review': '-> ../../../outside' });
  await expect(removeSkills(workspace.context(), ['review'], {})).rejects.toThrow(/not in the lock file|not of/);
  await removeSkills(workspace.context(), ['review'], { force: true });
  expect(workspace.read('outside/SKILL.md')).toBe(skillFile('review'));
});

test('reads a journal that a repository brings as a hostile one', async () => {
  const workspace = new Workspace();
  workspace.write({ 'outside/review/SKILL.md': 'mine', 'outside/.fleet-0123456789abcdef/new/x': 'x' });
  const step = { root: workspace.path('outside'), path: '', removes: true };
  const journal = { version: 1, state: 'commit', id: '0123456789abcdef', name: 'review', key: 'review', entry: null };
  for (const steps of [[step], [{ ...step, root: workspace.project, path: '../outside' }], [null], 'x']) {
    workspace.write({ 'project/.agents/.fleet-journal.json': JSON.stringify({ ...journal, steps }) });
    await expect(listInstalled(workspace.context(), false)).rejects.toThrow(/not a journal/);
  }
  for (const name of ['../review', '..', '.', '.fleet-x', 'a/b', 7]) {
    const steps = [{ root: workspace.project, path: '.agents/skills', removes: true }];
    workspace.write({ 'project/.agents/.fleet-journal.json': JSON.stringify({ ...journal, name, steps }) });
    await expect(listInstalled(workspace.context(), false)).rejects.toThrow(/not a journal/);
  }
  expect(workspace.read('outside/review/SKILL.md')).toBe('mine');
});

test('refuses a folder that changes while it is read', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  for (let at = 0; at < 200; at++) writeFileSync(join(folder, `notes/${at}`), `${at}`.repeat(100));
  // Replaces files by links to a secret, and back.
  const script = `
    const { renameSync, symlinkSync, writeFileSync, rmSync } = require('node:fs');
    const { workerData } = require('node:worker_threads');
    for (let at = 0; ; at = (at + 1) % 200) {
      const path = workerData + '/notes/' + at;
      symlinkSync('../../outside/secret', path + 'x'); renameSync(path + 'x', path);
      writeFileSync(path + 'y', 'changed'); renameSync(path + 'y', path);
    }`;
  workspace.write({ 'outside/secret': 'secret' });
  const worker = new Worker(script, { eval: true, workerData: folder });
  try {
    await sleep(100);
    for (let round = 0; round < 20; round++) {
      await addSkill(workspace.context(), folder, { force: true }).catch((error: Error) => {
        expect(error.message).toMatch(/changes while it is read|leads out|is gone|more than/);
      });
      expect(JSON.stringify(workspace.snapshot('project'))).not.toContain('secret');
    }
  } finally {
    await worker.terminate();
  }
});

test('writes nothing outside when folders are swapped with links while it installs', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  for (let at = 0; at < 30; at++) writeFileSync(join(folder, `notes/${at}`), `${at}`);
  workspace.write({
    'outside/keep': 'keep',
    'outside/review/SKILL.md': 'mine',
    'outside/skills/review/SKILL.md': 'mine',
  });
  mkdirSync(workspace.path('project/.agents/skills'), { recursive: true });
  const before = workspace.snapshot('outside');
  const script = `
    const { renameSync, symlinkSync, rmSync } = require('node:fs');
    const { workerData: project } = require('node:worker_threads');
    for (;;) for (const path of [project + '/.agents/skills', project + '/.agents']) try {
      renameSync(path, path + '.aside');
      symlinkSync(project + '/../outside', path);
      rmSync(path);
      renameSync(path + '.aside', path);
    } catch { try { rmSync(path, { force: true }); renameSync(path + '.aside', path); } catch {} }`;
  const worker = new Worker(script, { eval: true, workerData: workspace.project });
  try {
    await sleep(100);
    for (let round = 0; round < 25; round++) {
      await addSkill(workspace.context(), folder, { force: true }).catch(() => {});
      await removeSkills(workspace.context(), ['review'], { force: true }).catch(() => {});
    }
  } finally {
    await worker.terminate();
  }
  expect(workspace.snapshot('outside')).toEqual(before);
});

test('refuses trees of Git that no checkout could have', async () => {
  const workspace = new Workspace();
  commitFiles(workspace.path('repo'), { 'SKILL.md': REVIEW['SKILL.md'] });
  const folder = workspace.path('repo');
  const blob = git(folder, 'rev-parse', 'HEAD:SKILL.md').trim();
  const commitTree = (entries: [string, string, string][], wraps?: string) => {
    const tree = Buffer.concat(
      entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    );
    const path = join(workspace.root, 'tree');
    writeFileSync(path, tree);
    const id = git(folder, 'hash-object', '-t', 'tree', '-w', '--literally', path).trim();
    if (wraps !== undefined) return id;
    const commit = git(folder, 'commit-tree', '-m', 'x', id).trim();
    git(folder, 'update-ref', 'refs/heads/main', commit);
    return commit;
  };
  const inner = commitTree([['100644', 'evil', blob]], 'inner');
  for (const [mode, name, id, message] of [
    ['40000', '..', inner, /leads out/],
    ['40000', '.git', inner, /folder of Git/],
    ['100644', '../evil', blob, /leads out/],
    ['100644', '/etc/evil', blob, /absolute/],
    ['120000', 'a', git(folder, 'hash-object', '-w', join(workspace.root, 'tree')).trim(), /leads|round/],
    ['160000', 'module', blob, /submodule/],
  ] as const) {
    commitTree([
      ['100644', 'SKILL.md', blob],
      [mode, name, id],
    ]);
    const before = workspace.snapshot('project');
    await expect(addSkill(workspace.context(), `file://${folder}`, {})).rejects.toThrow(message);
    expect(workspace.snapshot('project')).toEqual(before);
  }
  expect(readFileSync(join(workspace.root, 'tree')).length).toBeGreaterThan(0);
});
