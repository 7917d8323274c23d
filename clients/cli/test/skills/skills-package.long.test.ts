import { existsSync, readlinkSync, rmSync } from 'node:fs';
import { startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { commitFiles, REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { listInstalled, removeSkills } from '../../src/skills/operations/installed.ts';
import { checkSkills, updateSkills } from '../../src/skills/operations/upstream.ts';
import { verifySkills } from '../../src/skills/operations/verify.ts';
import { runSkillsPackage } from './support/skills-package.ts';
import { Workspace } from './support/workspace.ts';

/** With files that the package leaves out, hashes or not. */
const FILES = {
  ...REVIEW,
  'a-b.md': '1',
  'a_b.md': '2',
  'A.md': '3',
  'metadata.json': '{}',
  'lib/x.py': 'x',
  'lib/__pycache__/x.pyc': 'x',
  'node_modules/m/index.js': 'm',
};

async function openRepository() {
  const workspace = new Workspace();
  const inFolder = (name: string) =>
    Object.fromEntries(Object.entries(FILES).map(([path, content]) => [`skills/${name}/${path}`, content]));
  commitFiles(workspace.path('repo'), {
    ...inFolder('review'),
    'skills/sing/SKILL.md': skillFile('sing'),
    'README.md': 'r',
  });
  const { url } = await startGitServer(workspace.root);
  return { workspace, source: `${url}/repo/.git` };
}

const added = async (workspace: Workspace) => ({
  lock: workspace.lock().skills.review,
  files: workspace.snapshot('project/.agents'),
});

test('writes the files, links and hash that the skills package writes', async () => {
  const { workspace: theirs, source } = await openRepository();
  await runSkillsPackage(theirs, 'add', source, '-s', 'review', '-a', 'claude-code', 'cursor', '-y');
  const ours = new Workspace();
  const [repository] = source.split('#');
  await addSkill(ours.context(), `${repository}#@review`, { agent: ['claude-code', 'cursor'] });

  const [their, our] = [await added(theirs), await added(ours)];
  expect(our.files).toEqual(their.files);
  expect(our.lock).toMatchObject(their.lock ?? {});
  const link = 'project/.claude/skills/review';
  expect(readlinkSync(ours.path(link))).toBe(readlinkSync(theirs.path(link)));
});

test('the skills package lists, keeps and removes what we added', async () => {
  const { workspace, source } = await openRepository();
  await addSkill(workspace.context(), `${source}#@review`, { agent: ['claude-code'] });
  const listed = JSON.parse(await runSkillsPackage(workspace, 'list', '--json'));
  expect(listed).toEqual([
    expect.objectContaining({ name: 'review', sourceUrl: source, sourceType: 'git', agents: ['Claude Code'] }),
  ]);
  expect(await runSkillsPackage(workspace, 'update', '-p', '-y')).toContain('All project skills are up to date');
  await runSkillsPackage(workspace, 'remove', 'review', '-y');
  expect(workspace.lock().skills).toEqual({});
  expect(existsSync(workspace.path('project/.claude/skills/review'))).toBe(false);
});

test('lists, verifies, updates and removes what the skills package added, copies too', async () => {
  const { workspace, source } = await openRepository();
  await runSkillsPackage(workspace, 'add', source, '-s', 'sing', '-a', 'claude-code', '-y', '--copy');
  const context = workspace.context();
  expect(await listInstalled(context, false)).toEqual([
    expect.objectContaining({ name: 'sing', state: 'ok', path: '.claude/skills/sing', agents: ['claude-code'] }),
  ]);
  expect(await verifySkills(context, [], {})).toEqual([expect.objectContaining({ name: 'sing', ok: true })]);
  expect(await checkSkills(context, [], {})).toEqual([expect.objectContaining({ state: 'current' })]);

  const commit = commitFiles(workspace.path('repo'), { 'skills/sing/SKILL.md': skillFile('sing', 'Sings louder.') });
  expect(await checkSkills(context, [], {})).toEqual([
    expect.objectContaining({ state: 'outdated', latest_commit: commit }),
  ]);
  expect(await updateSkills(context, ['sing'], {})).toEqual([expect.objectContaining({ state: 'updated', commit })]);
  expect(workspace.read('project/.claude/skills/sing/SKILL.md')).toContain('louder');
  expect(existsSync(workspace.path('project/.agents/skills/sing'))).toBe(false);
  expect(workspace.lock().skills.sing).toMatchObject({ commit, skillPath: 'skills/sing/SKILL.md' });
  expect(await runSkillsPackage(workspace, 'update', '-p', '-y')).toContain('All project skills are up to date');

  await removeSkills(context, ['sing'], {});
  expect(workspace.lock().skills).toEqual({});
  expect(existsSync(workspace.path('project/.claude/skills/sing'))).toBe(false);
});

test('shares the lock file of the user with the skills package', async () => {
  const { workspace, source } = await openRepository();
  await addSkill(workspace.context(), `${source}#@review`, { global: true, agent: ['claude-code'] });
  expect(readlinkSync(workspace.path('home/.claude/skills/review'))).toBe('../../.agents/skills/review');
  const listed = JSON.parse(await runSkillsPackage(workspace, 'list', '-g', '--json'));
  expect(listed).toEqual([expect.objectContaining({ name: 'review', scope: 'global', sourceUrl: source })]);

  await runSkillsPackage(workspace, 'add', source, '-s', 'sing', '-a', 'claude-code', 'codex', '-g', '-y');
  const context = workspace.context();
  expect((await listInstalled(context, true)).map(({ name, state }) => [name, state])).toEqual([
    ['review', 'ok'],
    ['sing', 'ok'],
  ]);
  expect(workspace.lock('home/.agents/.skill-lock.json').skills.review).toMatchObject({
    sourceType: 'git',
    skillFolderHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    installedAt: expect.any(String),
  });
  await removeSkills(context, ['sing', 'review'], { global: true });
  expect(workspace.lock('home/.agents/.skill-lock.json').skills).toEqual({});
  expect(JSON.parse(await runSkillsPackage(workspace, 'list', '-g', '--json'))).toEqual([]);
});

test('keeps fields of the lock file that it does not know', async () => {
  const { workspace, source } = await openRepository();
  await runSkillsPackage(workspace, 'add', source, '-s', 'sing', '-a', 'codex', '-y');
  const lock = workspace.lock();
  Object.assign(lock.skills.sing ?? {}, { via: 'a-package', future: { a: 1 } });
  workspace.write({ 'project/skills-lock.json': JSON.stringify({ ...lock, other: true }) });
  rmSync(workspace.path('project/.agents'), { recursive: true });
  const [updated] = await updateSkills(workspace.context(), [], {});
  expect(updated).toMatchObject({ name: 'sing', state: 'updated' });
  expect(workspace.lock()).toMatchObject({ other: true, skills: { sing: { via: 'a-package', future: { a: 1 } } } });
});
