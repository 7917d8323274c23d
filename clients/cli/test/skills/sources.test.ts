import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { listInstalled } from '../../src/skills/operations/installed.ts';
import { checkSkills } from '../../src/skills/operations/upstream.ts';
import { Workspace } from './support/workspace.ts';

test('adds the skills of a site by its index, checked by their digests', async () => {
  const files: Record<string, string> = { '/a.md': skillFile('alpha'), '/b.md': skillFile('beta') };
  const digest = (path: string) => `sha256:${hash('sha256', files[path] ?? '')}`;
  const skills = [
    { name: 'alpha', type: 'skill-md', description: 'A', url: '/a.md', digest: digest('/a.md') },
    { name: 'beta', type: 'skill-md', description: 'B', url: '/b.md', digest: `sha256:${'0'.repeat(64)}` },
    { name: 'Gamma', type: 'skill-md', description: 'C', url: '/a.md', digest: digest('/a.md') },
  ];
  files['/site/.well-known/agent-skills/index.json'] = JSON.stringify({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills,
  });
  const url = await serveUntilEnd((req, res) => {
    const body = files[req.url ?? ''];
    res.writeHead(body === undefined ? 404 : 200).end(body);
  });
  const workspace = new Workspace();
  await expect(addSkill(workspace.context(), `${url}/site`, {})).rejects.toThrow('has 2 skills');
  await expect(addSkill(workspace.context(), `${url}/site#@beta`, {})).rejects.toThrow('its index says');
  await addSkill(workspace.context(), `${url}/site#@alpha`, {});
  expect(workspace.lock().skills.alpha).toMatchObject({
    source: '127.0.0.1',
    sourceUrl: `${url}/site`,
    sourceType: 'well-known',
    wellKnownDigest: digest('/a.md'),
  });
});

test('adds a raw SKILL.md, and reads the older index with files', async () => {
  const files: Record<string, string> = {
    '/x/SKILL.md': skillFile('raw'),
    '/.well-known/skills/index.json': JSON.stringify({
      skills: [{ name: 'review', description: 'R', files: Object.keys(REVIEW) }],
    }),
    ...Object.fromEntries(
      Object.entries(REVIEW).map(([path, content]) => [`/.well-known/skills/review/${encodeURI(path)}`, content]),
    ),
  };
  const url = await serveUntilEnd((req, res) => {
    const body = files[req.url ?? ''];
    res.writeHead(body === undefined ? 404 : 200).end(body);
  });
  const workspace = new Workspace();
  await addSkill(workspace.context(), `${url}/x/SKILL.md`, {});
  expect(workspace.lock().skills.raw).toMatchObject({ sourceType: 'download', source: `${url}/x/SKILL.md` });
  await addSkill(workspace.context(), url, {});
  expect(workspace.read('project/.agents/skills/review/scripts/run.sh')).toBe(REVIEW['scripts/run.sh']);
});

test('an index must not name paths that lead out, nor another host without TLS', async () => {
  let index: object = {};
  const url = await serveUntilEnd((req, res) => {
    if (req.url?.endsWith('/index.json')) res.end(JSON.stringify(index));
    else res.end(skillFile('evil'));
  });
  const workspace = new Workspace();
  index = { skills: [{ name: 'evil', description: 'E', files: ['SKILL.md', '../../evil'] }] };
  await expect(addSkill(workspace.context(), url, {})).rejects.toThrow('leads out');
  const digest = `sha256:${hash('sha256', skillFile('evil'))}`;
  index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [{ name: 'evil', type: 'skill-md', description: 'E', url: 'http://10.0.0.1/SKILL.md', digest }],
  };
  await expect(addSkill(workspace.context(), url, {})).rejects.toThrow('not allowed');
  expect(Object.keys(workspace.snapshot('project'))).toEqual(['project/']);
});

test('names the file, the line and the reason of skills that cannot be read', async () => {
  const workspace = new Workspace();
  const good = skillFile('good', 'Reads: all. Use when: asked');
  const bad = '---\nname: bad\ndescription: Reads\n  pages: all\n---\n';
  workspace.write({ 'a/SKILL.md': good, 'b/SKILL.md': bad, 'c/SKILL.md': '# No front matter\n' }, 'set');
  const add = (folder: string) => addSkill(workspace.context(), workspace.path(folder), {});
  const problems = [
    expect.stringMatching(/^b\/SKILL\.md:3: .*YAML/),
    expect.stringMatching(/^c\/SKILL\.md:1: it has no/),
  ];
  expect(await add('set')).toMatchObject({ name: 'good', issues: [], warnings: problems });
  await expect(add('set/b')).rejects.toThrow(/SKILL\.md:3: .*YAML/);
  await expect(addSkill(workspace.context(), `file://${workspace.path('set')}#@b`, {})).rejects.toThrow(
    /b\/SKILL\.md:3: /,
  );
  workspace.write({ 'a/SKILL.md': bad.replace('bad', 'worse') }, 'set');
  await expect(add('set')).rejects.toMatchObject({
    message: expect.stringContaining('has no skill that can be read'),
    hint: expect.stringMatching(/^a\/SKILL\.md:3: .*\nb\/SKILL\.md:3: .*\nc\/SKILL\.md:1: /),
  });
});

test('list and check name what is wrong with a skill, with its file and line', async () => {
  const workspace = new Workspace();
  const long = skillFile('long', 'x'.repeat(1_100));
  workspace.write({ 'SKILL.md': long }, 'skill');
  const issue = 'SKILL.md:3: its description has 1,100 characters, more than 1,024';
  expect(await addSkill(workspace.context(), '../skill', {})).toMatchObject({ outcome: 'added', issues: [issue] });
  const installed = `.agents/skills/long/${issue}`;
  expect(await listInstalled(workspace.context(), false)).toMatchObject([{ name: 'long', issues: [installed] }]);
  expect(await checkSkills(workspace.context(), [], {})).toMatchObject([{ state: 'current', issues: [installed] }]);
  workspace.write({ 'SKILL.md': 'x' }, 'skill');
  workspace.write(
    { 'SKILL.md': Buffer.from('---\nname: long\ndescription: \xe9: a\n---\n', 'latin1') },
    'project/.agents/skills/long',
  );
  expect(await listInstalled(workspace.context(), false)).toMatchObject([
    { state: 'edited', issues: ['.agents/skills/long/SKILL.md:3: it is not UTF-8'] },
  ]);
  expect(await checkSkills(workspace.context(), [], {})).toMatchObject([
    { state: 'failed', reason: expect.stringMatching(/SKILL\.md:1: it has no front matter/) },
  ]);
});

test('reads file:// of a folder that is no repository as a folder', async () => {
  const workspace = new Workspace();
  const folder = workspace.write(REVIEW, 'skill');
  await addSkill(workspace.context(), `file://${folder}`, {});
  expect(workspace.lock().skills.review).toMatchObject({ source: '../skill', sourceType: 'local' });
  mkdirSync(workspace.path('empty'));
  await expect(addSkill(workspace.context(), workspace.path('empty'), {})).rejects.toThrow('has no skill');
  await expect(addSkill(workspace.context(), workspace.path('nothing'), {})).rejects.toThrow('is not a folder');
});
