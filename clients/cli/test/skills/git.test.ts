import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { commitFiles, git, REVIEW, skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { addSkill } from '../../src/skills/operations/add.ts';
import { checkSkills, updateSkills } from '../../src/skills/operations/upstream.ts';
import { Workspace } from './support/workspace.ts';

const inFolder = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

test('fetches the folder of one commit only', async () => {
  const workspace = new Workspace();
  const big = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 2_654_435_761) % 251));
  commitFiles(workspace.path('repo'), { ...inFolder('skills/review', REVIEW), 'assets/big.bin': big });
  const { url } = await startGitServer(workspace.root);
  let received = 0;
  const counting = await serveUntilEnd((req, res) => {
    const target = new URL(req.url ?? '', url);
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
      for (const name of ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding', 'expect']) {
        delete headers[name];
      }
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      const response = await fetch(target, { method: req.method, headers, body });
      const bytes = Buffer.from(await response.arrayBuffer());
      received += bytes.length;
      res.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' }).end(bytes);
    });
  });
  await addSkill(workspace.context(), `${counting}/repo/.git#@review`, {});
  expect(received).toBeLessThan(20_000);
});

test('pins a branch, a tag or a commit to its commit', async () => {
  const workspace = new Workspace();
  const first = commitFiles(workspace.path('repo'), REVIEW);
  git(workspace.path('repo'), 'tag', 'v1');
  const second = commitFiles(workspace.path('repo'), { 'SKILL.md': skillFile('review', 'Reviews more.') });
  const { url } = await startGitServer(workspace.root);
  const source = `${url}/repo/.git`;
  for (const [ref, commit] of [
    ['v1', first],
    ['main', second],
    [first, first],
  ] as const) {
    const added = await addSkill(workspace.context(), `${source}#${ref}`, { force: true });
    expect(added).toMatchObject({ ref, commit });
    expect(workspace.lock().skills.review).toMatchObject({ ref, commit });
  }
  // A ref that is a commit is never outdated.
  expect(await checkSkills(workspace.context(), [], {})).toEqual([expect.objectContaining({ state: 'pinned' })]);
  await expect(addSkill(workspace.context(), `${source}#v9`, {})).rejects.toMatchObject({
    hint: expect.stringContaining('#<ref>'),
  });
  await expect(addSkill(workspace.context(), `${url}/nothing/.git`, {})).rejects.toThrow(/not found/);
});

test('runs nothing that a repository or the folder of work brings', async () => {
  const workspace = new Workspace();
  const proof = workspace.path('proof');
  const run = `touch ${proof}`;
  commitFiles(workspace.path('repo'), {
    ...REVIEW,
    '.gitattributes': '* filter=evil diff=evil merge=evil text eol=crlf\n*.sh filter=lfs\n',
    '.gitmodules': `[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "${run}"\n\tupdate = !${run}\n`,
    '.gitconfig': `[core]\n\tfsmonitor = ${run}\n`,
  });
  // The project of the user is hostile too.
  git(workspace.project, 'init', '--quiet');
  for (const [name, value] of [
    ['core.fsmonitor', run],
    ['core.sshCommand', run],
    ['core.gitProxy', run],
    ['credential.helper', `!${run}`],
    ['url.ext::sh -c touch% /x.insteadOf', 'https://'],
    ['protocol.ext.allow', 'always'],
    ['uploadpack.packObjectsHook', run],
  ] as const) {
    git(workspace.project, 'config', name, value);
  }
  const env = {
    ...workspace.env,
    GIT_DIR: workspace.path('project/.git'),
    GIT_TEMPLATE_DIR: workspace.path('template'),
  };
  const hook = workspace.write({ 'template/hooks/post-checkout': `#!/bin/sh\n${run}\n` });
  chmodSync(join(hook, 'template/hooks/post-checkout'), 0o755);
  const before = workspace.snapshot('project/.git');
  await addSkill(workspace.context({ env }), `file://${workspace.path('repo')}`, {});
  expect(existsSync(proof)).toBe(false);
  expect(workspace.snapshot('project/.git')).toEqual(before);
  expect(workspace.read('project/.agents/skills/review/scripts/run.sh')).toBe(REVIEW['scripts/run.sh']);
});

test('does not let the configuration of the user turn https into a transport that runs programs', async () => {
  const workspace = new Workspace();
  const proof = workspace.path('proof');
  workspace.write({
    'home/.gitconfig': `[url "ext::sh -c touch% ${proof}"]\n\tinsteadOf = https://github.com/\n[protocol "ext"]\n\tallow = always\n`,
  });
  await expect(addSkill(workspace.context(), 'o/r', {})).rejects.toThrow(/transport 'ext' not allowed/);
  expect(existsSync(proof)).toBe(false);
});

test('never asks for a password', async () => {
  const workspace = new Workspace();
  const { url } = await startGitServer(workspace.root, { status: 401 });
  const askpass = workspace.path('askpass');
  writeFileSync(askpass, `#!/bin/sh\ntouch ${workspace.path('asked')}\n`, { mode: 0o755 });
  const env = { ...workspace.env, GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' };
  await expect(addSkill(workspace.context({ env }), `${url}/private.git`, {})).rejects.toMatchObject({
    hint: expect.stringContaining('prompts are off'),
  });
  expect(existsSync(workspace.path('asked'))).toBe(false);
});

test('warns of pointers of Git LFS, and reads executable files as such', async () => {
  const workspace = new Workspace();
  workspace.write({ 'scripts/run.sh': 'x' }, 'repo');
  chmodSync(workspace.path('repo/scripts/run.sh'), 0o755);
  commitFiles(workspace.path('repo'), {
    ...REVIEW,
    'model.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  });
  const { warnings } = await addSkill(workspace.context(), `file://${workspace.path('repo')}`, {});
  expect(warnings).toEqual([expect.stringContaining('model.bin is a pointer of Git LFS')]);
  expect(existsSync(workspace.path('project/.agents/skills/review/scripts/run.sh'))).toBe(true);
});

test('finds a skill that has moved within its repository', async () => {
  const workspace = new Workspace();
  commitFiles(workspace.path('repo'), { ...inFolder('old/review', REVIEW), 'a/SKILL.md': skillFile('other') });
  const { url } = await startGitServer(workspace.root);
  await addSkill(workspace.context(), `${url}/repo/.git#@review`, {});
  git(workspace.path('repo'), 'mv', 'old', 'new');
  const commit = commitFiles(workspace.path('repo'), { 'new/review/SKILL.md': skillFile('review', 'Moved.') });
  const results = await updateSkills(workspace.context(), [], {});
  expect(results).toEqual([expect.objectContaining({ state: 'updated', commit })]);
  expect(workspace.lock().skills.review).toMatchObject({ skillPath: 'new/review/SKILL.md' });
});

test('stops when the user interrupts', async () => {
  const workspace = new Workspace();
  const url = await serveUntilEnd(() => {});
  const signal = AbortSignal.timeout(500);
  const started = Date.now();
  await expect(addSkill(workspace.context({ signal }), `${url}/r.git`, {})).rejects.toThrow(/timeout/);
  expect(Date.now() - started).toBeLessThan(10_000);
});

test('says that Git is missing', async () => {
  const workspace = new Workspace();
  mkdirSync(workspace.path('bin'));
  const env = { ...workspace.env, PATH: [workspace.path('bin')].join(delimiter) };
  await expect(addSkill(workspace.context({ env }), 'https://gitlab.com/o/r', {})).rejects.toThrow(
    'Git is not installed',
  );
  const refusing = async () => new Response(null, { status: 403 });
  await expect(addSkill(workspace.context({ env, fetch: refusing }), 'o/r', {})).rejects.toThrow('status 403');
});
