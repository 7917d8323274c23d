import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { listInstalled, removeSkills } from '../../src/skills/operations/installed.ts';
import { checkSkills, updateSkills } from '../../src/skills/operations/upstream.ts';
import { verifySkills } from '../../src/skills/operations/verify.ts';
import { OWN_FOLDERS, ownBase, SHARING_AGENTS } from '../../src/skills/scope.ts';
import { Workspace } from './support/workspace.ts';

const INSTALLED = 'project/.agents/skills/review';

function open(): Workspace {
  const workspace = new Workspace();
  workspace.write(REVIEW, 'skill');
  return workspace;
}

test('knows the agents of the skills package and their folders', () => {
  const path = join(fileURLToPath(import.meta.resolve('skills/package.json')), '../docs/agents.md');
  const rows = [
    ...readFileSync(path, 'utf8').matchAll(/^\| [^|]+ \| ([^|]+) \| `([^|`]+)\/` \| `?([^|`]+?)\/?`? \|$/gm),
  ];
  const scope = { root: '/home/u', isGlobal: true, env: {} };
  const agents = rows.flatMap(([, names = '', project, user]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, project, user })),
  );
  expect(agents.map(({ name }) => name).sort()).toEqual([...SHARING_AGENTS, ...Object.keys(OWN_FOLDERS)].sort());
  for (const { name, project, user } of agents) {
    expect(OWN_FOLDERS[name] ?? '.agents/skills').toBe(project);
    if (!(name in OWN_FOLDERS) || name === 'eve') continue;
    expect(`${name} ~/${ownBase(scope, name)?.path}`).toBe(`${name} ${user}`);
  }
});

test('links a skill for the agents that are named, or that have a folder here', async () => {
  const workspace = open();
  for (const folder of ['.goose', 'skills', 'data']) mkdirSync(workspace.path(`project/${folder}`));
  const added = await addSkill(workspace.context(), workspace.path('skill'), {});
  expect(added).toMatchObject({ outcome: 'added', agents: ['goose'], license: 'MIT', commit: null });
  expect(added.written).toEqual([
    '.agents/skills/review/SKILL.md',
    '.agents/skills/review/notes/Ünï.md',
    '.agents/skills/review/scripts/run.sh',
    '.goose/skills/review -> ../../.agents/skills/review',
    'skills-lock.json',
  ]);
  const linked = await addSkill(workspace.context(), '../skill', { agent: ['claude-code', 'codex'] });
  expect(linked).toMatchObject({ outcome: 'linked', written: expect.arrayContaining(['skills-lock.json']) });
  expect(readlinkSync(workspace.path('project/.claude/skills/review'))).toBe('../../.agents/skills/review');
  const again = await addSkill(workspace.context(), '../skill', { agent: ['claude-code'] });
  expect(again).toMatchObject({ outcome: 'unchanged', written: [] });
  expect(Object.keys(workspace.snapshot('project')).filter((path) => path.includes('fleet'))).toEqual([]);
  await expect(addSkill(workspace.context(), '../skill', { agent: ['nobody'] })).rejects.toMatchObject({
    kind: 'usage',
  });
});

test('copies a skill for agents with a folder of their own', async () => {
  const workspace = open();
  await addSkill(workspace.context(), '../skill', { agent: ['claude-code', 'augment'], copy: true });
  expect(statSync(workspace.path('project/.claude/skills/review')).isDirectory()).toBe(true);
  workspace.write({ 'SKILL.md': skillFile('review', 'Reviews more.') }, 'skill');
  await updateSkills(workspace.context(), [], {});
  for (const folder of ['.claude', '.augment', '.agents']) {
    expect(workspace.read(`project/${folder}/skills/review/SKILL.md`)).toContain('Reviews more.');
  }
});

test('says what it would write, and writes nothing', async () => {
  const workspace = open();
  const before = workspace.snapshot('');
  const options = { agent: ['claude-code'], dryRun: true };
  const planned = await addSkill(workspace.context(), '../skill', options);
  expect(workspace.snapshot('')).toEqual(before);
  const done = await addSkill(workspace.context(), '../skill', { ...options, dryRun: false });
  expect(planned).toEqual({ ...done, dry_run: true });
  const after = workspace.snapshot('');
  const removal = await removeSkills(workspace.context(), ['review'], { dryRun: true });
  workspace.write({ 'SKILL.md': skillFile('review', 'Reviews more.') }, 'skill');
  const update = await updateSkills(workspace.context(), [], { dryRun: true });
  expect(update).toEqual([expect.objectContaining({ state: 'outdated', written: expect.any(Array) })]);
  workspace.write({ 'SKILL.md': REVIEW['SKILL.md'] }, 'skill');
  expect(workspace.snapshot('')).toEqual(after);
  const removed = await removeSkills(workspace.context(), ['review'], {});
  expect(removal).toEqual(removed.map((one) => ({ ...one, dry_run: true })));
});

test('keeps local edits unless forced', async () => {
  const workspace = open();
  const context = workspace.context();
  await addSkill(context, '../skill', {});
  workspace.write({ 'notes/mine.md': 'mine' }, INSTALLED);
  expect((await listInstalled(context, false))[0]).toMatchObject({ state: 'edited' });
  expect(await verifySkills(context, [], {})).toEqual([expect.objectContaining({ ok: false, files: 'edited' })]);
  workspace.write({ 'SKILL.md': skillFile('review', 'Reviews more.') }, 'skill');
  await expect(addSkill(context, '../skill', {})).rejects.toThrow('has local edits');
  await expect(removeSkills(context, ['review'], {})).rejects.toThrow('has local edits');
  expect(await checkSkills(context, [], {})).toEqual([expect.objectContaining({ state: 'outdated', edited: true })]);
  expect(await updateSkills(context, [], {})).toEqual([expect.objectContaining({ state: 'kept' })]);
  expect(workspace.read(`${INSTALLED}/notes/mine.md`)).toBe('mine');
  expect(await updateSkills(context, [], { force: true })).toEqual([expect.objectContaining({ state: 'updated' })]);
  expect(existsSync(workspace.path(`${INSTALLED}/notes/mine.md`))).toBe(false);
  expect(await verifySkills(context, [], {})).toEqual([expect.objectContaining({ ok: true })]);
});

test('does not replace a skill of the same name from elsewhere', async () => {
  const workspace = open();
  const context = workspace.context();
  workspace.write(REVIEW, 'elsewhere');
  workspace.write({ 'SKILL.md': skillFile('review', 'Mine.') }, INSTALLED);
  await expect(addSkill(context, '../skill', {})).rejects.toThrow('another skill has the name review');
  expect((await listInstalled(context, false))[0]).toMatchObject({ name: 'review', state: 'untracked', source: null });
  await expect(removeSkills(context, ['review'], {})).rejects.toThrow('not in the lock file');
  await addSkill(context, '../skill', { force: true });
  await expect(addSkill(context, '../elsewhere', {})).rejects.toThrow(
    'is installed from ../skill, not from ../elsewhere',
  );
  rmSync(workspace.path(INSTALLED), { recursive: true });
  mkdirSync(workspace.path('project/.claude/skills'), { recursive: true });
  symlinkSync('../../../elsewhere', workspace.path('project/.claude/skills/review'));
  await expect(addSkill(context, '../skill', { agent: ['claude-code'] })).rejects.toThrow('is not of review');
});

test('restores what is missing, and names what is not installed', async () => {
  const workspace = open();
  const context = workspace.context();
  await addSkill(context, '../skill', { agent: ['claude-code'] });
  rmSync(workspace.path(INSTALLED), { recursive: true });
  expect(await listInstalled(context, false)).toEqual([expect.objectContaining({ name: 'review', state: 'missing' })]);
  expect(await verifySkills(context, ['review'], {})).toEqual([expect.objectContaining({ ok: false })]);
  await updateSkills(context, [], {});
  expect(workspace.read('project/.claude/skills/review/SKILL.md')).toBe(REVIEW['SKILL.md']);
  for (const act of [checkSkills, updateSkills, verifySkills, removeSkills]) {
    await expect(act(context, ['nothing'], {})).rejects.toMatchObject({ kind: 'usage', message: expect.any(String) });
  }
});

test('one that fails does not stop the others', async () => {
  const workspace = open();
  const context = workspace.context();
  workspace.write({ 'SKILL.md': skillFile('other') }, 'other');
  await addSkill(context, '../skill', {});
  await addSkill(context, '../other', {});
  rmSync(workspace.path('other'), { recursive: true });
  workspace.write({ 'SKILL.md': skillFile('review', 'Reviews more.') }, 'skill');
  expect((await updateSkills(context, [], {})).map(({ name, state }) => [name, state])).toEqual([
    ['other', 'failed'],
    ['review', 'updated'],
  ]);
});

test.each([
  ['not JSON', '\ufeff{\n<<<<<<< HEAD\n{}', 'is not JSON at line 2, column 1'],
  ['a list', '[]', 'not a lock file'],
  ['another version', '{"version":2,"skills":{}}', 'has version 2'],
  ['entries without a source', '{"version":1,"skills":{"review":{"sourceType":"git"}}}', 'not a lock file'],
])('leaves a lock file alone that is %s', async (_, text, message) => {
  const workspace = open();
  workspace.write({ 'project/skills-lock.json': text });
  await expect(addSkill(workspace.context(), '../skill', {})).rejects.toThrow(message);
  expect(workspace.read('project/skills-lock.json')).toBe(text);
  expect(existsSync(workspace.path(INSTALLED))).toBe(false);
});

test('reads a hostile lock file as data', async () => {
  const workspace = open();
  const entry = { source: '--upload-pack=touch x', sourceType: 'github', computedHash: 'x' };
  const skills = {
    ['__proto__']: entry,
    '../../outside': { ...entry, source: 'o/r', skillPath: '../../../etc/SKILL.md' },
    ext: { source: 'ext::sh -c x', sourceUrl: 'ext::sh -c x', sourceType: 'git' },
  };
  const text = JSON.stringify({ version: 1, skills: {} }).replace(
    '"skills":{}',
    `"skills":{${Object.entries(skills)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join()},"__proto__":${JSON.stringify(entry)}}`,
  );
  workspace.write({ 'project/skills-lock.json': text, 'outside/SKILL.md': skillFile('outside') });
  const results = await updateSkills(workspace.context(), [], {});
  expect(results.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  await removeSkills(workspace.context(), ['../../outside'], {});
  expect(workspace.read('outside/SKILL.md')).toBe(skillFile('outside'));
});

const PROGRAM = join(import.meta.dirname, 'support/skills-program.ts');

function runProgram(workspace: Workspace, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, workspace.project, ...args], { env: workspace.env });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0 ? '' : said)));
}

test('commands at the same time leave every skill whole and in the lock file', async () => {
  const workspace = open();
  const names = Array.from({ length: 6 }, (_, at) => `skill-${at}`);
  for (const name of names) workspace.write({ ...REVIEW, 'SKILL.md': skillFile(name) }, name);
  const said = await Promise.all([...names, ...names].map((name) => runProgram(workspace, 'add', `../${name}`)));
  expect(said.filter(Boolean)).toEqual([]);
  expect(Object.keys(workspace.lock().skills)).toEqual(names);
  expect((await verifySkills(workspace.context(), [], {})).every(({ ok }) => ok)).toBe(true);
  expect(Object.keys(workspace.snapshot('project')).filter((path) => path.includes('fleet'))).toEqual([]);
});

test('takes over the mutex of a process that is gone, and of no other', async () => {
  const workspace = open();
  const mutex = 'project/.agents/.fleet-lock';
  const gone = { pid: 2 ** 22 + 1, startedAt: '1', host: hostname(), id: 'x' };
  workspace.write({ [mutex]: JSON.stringify(gone) });
  await addSkill(workspace.context(), '../skill', {});
  // This process lives, but started at another time: its id was used again.
  workspace.write({ [mutex]: JSON.stringify({ ...gone, pid: process.pid }) });
  await addSkill(workspace.context(), '../skill', { agent: ['goose'] });
  writeFileSync(workspace.path(mutex), JSON.stringify({ ...gone, host: 'another' }));
  const signal = AbortSignal.timeout(1_000);
  await expect(addSkill(workspace.context({ signal }), '../skill', { agent: ['augment'] })).rejects.toThrow(/abort/i);
  expect(existsSync(workspace.path(mutex))).toBe(true);
});
