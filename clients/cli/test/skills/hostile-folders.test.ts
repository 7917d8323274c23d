import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { git, REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { listInstalled, removeSkills } from '../../src/skills/operations/installed.ts';
import { commitFiles } from './support/git-server.ts';
import { Workspace } from './support/workspace.ts';

/** A change of a good folder, and what the refusal says. */
const FOLDERS: Record<string, [(folder: string) => void | Promise<void>, RegExp]> = {
  'a link to an absolute path': [(f) => symlinkSync('/etc/passwd', join(f, 'a')), /leads out/],
  'a link to a file beside it': [(f) => symlinkSync('../outside/secret', join(f, 'a')), /leads out/],
  'a link that leaves and comes back': [(f) => symlinkSync('../skill/SKILL.md', join(f, 'a')), /leads out/],
  'a link over another link': [
    (f) => {
      symlinkSync('b/../../outside/secret', join(f, 'a'));
      symlinkSync('notes', join(f, 'b'));
    },
    /leads out/,
  ],
  'links in a circle': [
    (f) => {
      symlinkSync('b', join(f, 'a'));
      symlinkSync('a', join(f, 'b'));
    },
    /round in circles/,
  ],
  'a link to the folder it is in': [(f) => symlinkSync('.', join(f, 'notes/all')), /round in circles/],
  'a link to its root': [(f) => symlinkSync('..', join(f, 'notes/all')), /round in circles/],
  'a link that leads nowhere': [(f) => symlinkSync('nothing', join(f, 'a')), /leads nowhere/],
  'a SKILL.md that is a link': [
    (f) => {
      renameSync(join(f, 'SKILL.md'), join(f, 'notes/SKILL.md'));
      symlinkSync('notes/SKILL.md', join(f, 'SKILL.md'));
    },
    /is a link/,
  ],
  'names that differ in case only': [
    (f) => {
      writeFileSync(join(f, 'read.md'), '1');
      writeFileSync(join(f, 'READ.md'), '2');
    },
    /same file on some systems/,
  ],
  'folders that differ in case only': [
    (f) => {
      mkdirSync(join(f, 'Notes'));
      writeFileSync(join(f, 'Notes/b.md'), '2');
    },
    /same file on some systems/,
  ],
  'names that differ in normalisation only': [
    (f) => {
      writeFileSync(join(f, '\u00e9.md'), '1');
      writeFileSync(join(f, 'e\u0301.md'), '2');
    },
    /same file on some systems/,
  ],
  'a pipe': [(f) => void execFileSync('mkfifo', [join(f, 'a')]), /a device, pipe or socket/],
  'a socket': [
    (f) => new Promise((resolve) => createServer().listen(join(f, 'a'), resolve).unref()),
    /a device, pipe or socket/,
  ],
  'a repository inside': [
    (f) => {
      mkdirSync(join(f, 'notes/.git/hooks'), { recursive: true });
      writeFileSync(join(f, 'notes/.git/hooks/pre-commit'), 'x');
    },
    /inside a folder of Git/,
  ],
  'a .GIT inside': [(f) => writeFileSync(join(f, 'notes/.GIT'), 'gitdir: /'), /inside a folder of Git/],
  'control characters in a name': [(f) => writeFileSync(join(f, 'a\u001b[2Jb'), ''), /characters that a path/],
  'a backslash in a name': [(f) => writeFileSync(join(f, '..\\..\\a'), ''), /characters that a path/],
  'a drive in a name': [(f) => writeFileSync(join(f, 'C:a'), ''), /absolute path/],
  'too many files': [
    (f) => {
      for (let at = 0; at < 1_000; at++) writeFileSync(join(f, `notes/${at}`), '');
    },
    /more than 1000 files/,
  ],
  'too many files by links': [
    (f) => {
      for (const name of ['x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', 'x8', 'x9']) {
        mkdirSync(join(f, name));
        const next = `x${Number(name[1]) + 1}`;
        for (let at = 0; at < 10; at++) {
          if (name === 'x9') writeFileSync(join(f, name, `${at}`), '');
          else symlinkSync(`../${next}`, join(f, name, `${at}`));
        }
      }
    },
    /more than 1000 files|round in circles/,
  ],
  'a huge file': [
    (f) => {
      writeFileSync(join(f, 'big'), '');
      truncateSync(join(f, 'big'), 10 * 2 ** 40);
    },
    /more than 25 MiB/,
  ],
  'a link that multiplies a big file': [
    (f) => {
      writeFileSync(join(f, 'big'), Buffer.alloc(13 * 2 ** 20));
      symlinkSync('big', join(f, 'again'));
    },
    /more than 25 MiB/,
  ],
  'a name against the specification': [(f) => writeFileSync(join(f, 'SKILL.md'), skillFile('Review_It')), /against/],
  'a name that is a path': [(f) => writeFileSync(join(f, 'SKILL.md'), skillFile('../../evil')), /against/],
  'no front matter': [(f) => writeFileSync(join(f, 'SKILL.md'), '# Review\n'), /no front matter/],
  'a file that cannot be read': [(f) => chmodSync(join(f, 'notes/Ünï.md'), 0o000), /permission|EACCES/],
};

for (const [what, [change, message]] of Object.entries(FOLDERS)) {
  // Root can read everything.
  if (what === 'a file that cannot be read' && process.getuid?.() === 0) continue;
  test(`refuses a folder with ${what}, and writes nothing`, async () => {
    const workspace = new Workspace();
    const folder = workspace.write(REVIEW, 'skill');
    workspace.write({ 'outside/secret': 'secret' });
    await change(folder);
    const before = JSON.stringify(workspace.snapshot('project')) + JSON.stringify(workspace.snapshot('outside'));
    await expect(addSkill(workspace.context(), folder, { force: true })).rejects.toThrow(message);
    expect(JSON.stringify(workspace.snapshot('project')) + JSON.stringify(workspace.snapshot('outside'))).toBe(before);
  });
}

test('copies what links inside the folder lead to', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  symlinkSync('scripts/run.sh', join(folder, 'run'));
  symlinkSync('scripts', join(folder, 'bin'));
  symlinkSync('../bin/run.sh', join(folder, 'notes/again'));
  symlinkSync('../bin', join(folder, 'notes/more'));
  await addSkill(workspace.context(), folder, {});
  const installed = 'project/.agents/skills/review';
  for (const path of ['run', 'bin/run.sh', 'notes/more/run.sh']) {
    expect(workspace.read(`${installed}/${path}`)).toBe(REVIEW['scripts/run.sh']);
  }
  expect(Object.values(workspace.snapshot(installed)).filter((content) => content.startsWith('-> '))).toEqual([]);
});

const TARGETS: Record<string, (workspace: Workspace) => void> = {
  '.agents is a link out of the project': (w) => symlinkSync('../outside', w.path('project/.agents')),
  '.agents/skills is a link out of the project': (w) => {
    mkdirSync(w.path('project/.agents'));
    symlinkSync('../../outside', w.path('project/.agents/skills'));
  },
  '.agents is a link over another link': (w) => {
    symlinkSync('inner', w.path('project/.agents'));
    symlinkSync(w.path('outside'), w.path('project/inner'));
  },
  '.claude is a link out of the project': (w) => symlinkSync(w.path('outside'), w.path('project/.claude')),
  'the lock file is a link': (w) => symlinkSync('../outside/secret', w.path('project/skills-lock.json')),
  '.agents is a file': (w) => writeFileSync(w.path('project/.agents'), ''),
};

for (const [what, change] of Object.entries(TARGETS)) {
  test(`writes nothing when ${what}`, async () => {
    const workspace = new Workspace();
    const folder = workspace.write(REVIEW, 'skill');
    workspace.write({ 'outside/secret': '{"version":1,"skills":{}}' });
    change(workspace);
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
  symlinkSync('tools', workspace.path('project/.agents'));
  mkdirSync(workspace.path('project/.claude'));
  symlinkSync('../.agents/skills', workspace.path('project/.claude/skills'));
  await addSkill(workspace.context(), folder, { agent: ['claude-code'] });
  expect(workspace.read('project/tools/skills/review/SKILL.md')).toBe(REVIEW['SKILL.md']);
  expect(workspace.read('project/.claude/skills/review/SKILL.md')).toBe(REVIEW['SKILL.md']);
});

test('does not remove through a link that somebody put in place of a folder', async () => {
  const workspace = new Workspace();
  await addSkill(workspace.context(), workspace.write(REVIEW, 'skill'), {});
  workspace.write({ 'outside/SKILL.md': skillFile('review') });
  rmSync(workspace.path('project/.agents/skills/review'), { recursive: true });
  symlinkSync('../../../outside', workspace.path('project/.agents/skills/review'));
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
  commitFiles(workspace, 'repo', { 'SKILL.md': REVIEW['SKILL.md'] });
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
