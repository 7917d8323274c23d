import { hash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '@agent-fleet/scripts/services';
import { type GitServer, startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { commitFiles, writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import { until } from '@agent-fleet/shared/testing/until';
import { placeSkills } from '@agent-fleet/worker';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { FleetProgram } from '../fleet-command/fleet-program.ts';
import { API_KEY, LocalFleet } from '../harness/local-fleet.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';

/** The folder of the skills that ship. */
const SHIPPED = join(ROOT, 'services/registry/skills/');
const SKILL = '---\nname: review\ndescription: Reviews code.\nlicense: MIT\n---\n\n# Review\n';
const RAW = '---\nname: raw\ndescription: Has no repository.\n---\n';
const sha256 = (text: string) => `sha256:${hash('sha256', text)}`;

const root = ownFolder();
const repository = join(root, 'repo');
let program: FleetProgram;
let project: string;
let fleet: LocalFleet;
let repositories: GitServer;
let commit: string;
let records: Record<string, unknown>[] = [];

/** Runs `fleet skills` in the project. */
const skills = (...args: string[]) => program.run(['skills', ...args]);
const json = <T = Record<string, unknown>>(...args: string[]) => program.json<T>(['skills', ...args]);

if (CONTROLS_PROCESSES) {
  beforeAll(open, 180_000);
  afterAll(() => fleet?.close(), 180_000);
  beforeEach(() => {
    program = new FleetProgram({ FLEET_URL: fleet.baseUrl, GIT_CONFIG_NOSYSTEM: '1' });
    project = program.cwd;
  });
} else logOmittedTests('fleet skills');

async function open(): Promise<void> {
  writeFiles(repository, { 'skills/review/scripts/run.sh': 'echo hi\n' });
  chmodSync(join(repository, 'skills/review/scripts/run.sh'), 0o755);
  commit = commitFiles(repository, {
    'skills/review/SKILL.md': SKILL,
    'skills/stale/SKILL.md': SKILL.replace('name: review', 'name: stale'),
  });
  repositories = await startGitServer(root);
  const origin = await serveUntilEnd((req, res) => {
    if (req.url?.startsWith('/raw/SKILL.md')) res.end(RAW);
    else res.setHeader('content-type', 'application/json').end(JSON.stringify(records));
  });
  const url = `${repositories.url}/repo/.git`;
  records = [
    { id: 'review', name: 'review', description: 'Reviews code.', url, path: 'skills/review', digest: sha256(SKILL) },
    { id: 'stale', name: 'stale', description: 'Has changed.', url, path: 'skills/stale', digest: sha256('before') },
    { id: 'no-path', name: 'review', description: 'Another record, of no folder.', url, license: 'MIT' },
    { id: 'raw', name: 'raw', description: 'Has no repository.', url: `${origin}/raw/SKILL.md`, digest: sha256(RAW) },
    {
      id: 'changed',
      name: 'raw',
      description: 'Has changed.',
      url: `${origin}/raw/SKILL.md?v=2`,
      digest: sha256('before'),
    },
    { id: 'Bad_Name', name: 'Bad_Name', description: 'Is invalid.', url, path: 'skills/review' },
    {
      id: 'server',
      name: 'server',
      kind: 'mcp_server',
      type: 'mcp_server',
      description: 'Is no skill.',
      repo: 'o/server',
    },
  ];
  const registry = {
    REGISTRY_SOURCE_URL: `${origin}/registry.json,${pathToFileURL(SHIPPED).href}`,
    REGISTRY_ALLOW_PRIVATE: 'true',
  };
  fleet = await LocalFleet.start({ env: { registry } });
  await until(async () => (await fetch(`${fleet.baseUrl}/api/skills/review`)).ok, {
    message: 'the registry has the skills',
  });
}

const maybe = CONTROLS_PROCESSES ? test : test.skip;

maybe('finds and shows skills of the registry', async () => {
  expect((await json<{ id: string }[]>('search', 'reviews', 'code')).map(({ id }) => id)).toContain('review');
  const { stdout } = await skills('search', 'review');
  expect(stdout).toMatch(/^ID +KIND/);
  expect(await json('show', 'review')).toMatchObject({ id: 'review', digest_of: 'skill_md' });
  expect((await skills('show', 'raw', '--file')).stdout).toBe(`${RAW}\n`);
  expect(await json('categories')).toEqual(expect.any(Array));
  const missing = await skills('show', 'nothing', '--json');
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.parse(missing.stderr)).toMatchObject({ status: 404, request_id: expect.any(String) });
});

maybe('adds a skill of the registry, pinned and compared with its digest', async () => {
  mkdirSync(join(project, '.claude'));
  const added = await json('add', 'review');
  expect(added).toMatchObject({
    outcome: 'added',
    commit,
    license: 'MIT',
    registry: fleet.baseUrl,
    skill_id: 'review',
    digest: 'same',
    agents: ['claude-code'],
    written: [
      '.agents/skills/review/SKILL.md',
      '.agents/skills/review/scripts/run.sh',
      '.claude/skills/review -> ../../.agents/skills/review',
      'skills-lock.json',
    ],
  });
  const lock = JSON.parse(readFileSync(join(project, 'skills-lock.json'), 'utf8'));
  expect(lock.skills.review).toMatchObject({
    sourceType: 'git',
    skillPath: 'skills/review/SKILL.md',
    computedHash: added.hash,
    commit,
    registry: fleet.baseUrl,
    skillId: 'review',
  });
  expect(await json('verify')).toEqual([
    expect.objectContaining({ name: 'review', ok: true, files: 'ok', registry: 'same' }),
  ]);
  writeFileSync(join(project, '.agents/skills/review/SKILL.md'), `${SKILL}changed\n`);
  const verified = await skills('verify', '--json');
  expect(verified.code).toBe(1);
  expect(JSON.parse(verified.stdout)).toEqual([
    expect.objectContaining({ ok: false, files: 'edited', registry: 'differs' }),
  ]);
});

maybe('refuses a skill with another digest, unless it is forced', async () => {
  const refused = await skills('add', 'stale', '--json');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stderr)).toMatchObject({
    message: expect.stringContaining('the registry says'),
    hint: expect.any(String),
  });
  expect(existsSync(join(project, 'skills-lock.json'))).toBe(false);
  expect(await json('add', 'stale', '--force')).toMatchObject({ outcome: 'added', digest: 'differs' });
});

maybe('adds by name where the registry knows no folder, and the SKILL.md where it knows no repository', async () => {
  expect(await json('add', 'no-path')).toMatchObject({ name: 'review', path: 'skills/review', digest: 'none' });
  expect(await json('add', 'raw')).toMatchObject({ name: 'raw', commit: null, digest: 'same' });
  expect(readFileSync(join(project, '.agents/skills/raw/SKILL.md'), 'utf8')).toBe(RAW);
});

maybe('prints what is wrong with a skill, and what it does not add', async () => {
  expect(await json('add', 'Bad_Name')).toMatchObject({ name: 'review', issues: ['name_characters'] });
  const { stdout } = await skills('add', 'Bad_Name', '--dry-run', '--force');
  expect(stdout).toContain('other characters than a-z');
  expect(await skills('add', 'server')).toMatchObject({ code: 1, stderr: expect.stringContaining('not a skill') });
  expect(await skills('add', 'nothing')).toMatchObject({ code: 1, stderr: expect.stringContaining('Skill not found') });
  const several = await skills('add', `${repositories.url}/repo/.git`, '--json');
  expect(several).toMatchObject({ code: 2, stdout: '' });
  expect(JSON.parse(several.stderr)).toMatchObject({ error: 'usage', hint: expect.stringContaining('review, stale') });
});

maybe('checks, updates, lists and removes', async () => {
  await json('add', 'no-path', '-a', 'goose');
  expect(await json('check')).toEqual([expect.objectContaining({ state: 'current', latest_commit: commit })]);
  const next = commitFiles(repository, { 'skills/review/more.md': 'more\n' });
  expect(await json('check')).toEqual([expect.objectContaining({ state: 'outdated', commit, latest_commit: next })]);
  expect(await json('update')).toEqual([expect.objectContaining({ state: 'updated', commit: next })]);
  expect(await json('list')).toEqual([
    expect.objectContaining({ name: 'review', state: 'ok', commit: next, agents: ['goose'], skill_id: 'no-path' }),
  ]);
  expect((await skills('list', '--quiet')).stdout).toBe('review\n');
  await json('remove', 'review');
  expect(await json('list')).toEqual([]);
  expect(JSON.parse(readFileSync(join(project, 'skills-lock.json'), 'utf8'))).toEqual({ version: 1, skills: {} });
  expect(existsSync(join(project, '.goose/skills/review'))).toBe(false);
});

maybe('a task pins the skills that it names to what the registry has', async () => {
  const env = { FLEET_API_KEY: API_KEY };
  const created = await program.run(['agents', 'create', 'Reviewer', '--type', 'claude', '--quiet'], { env });
  const add = ['tasks', 'add', created.stdout.trim(), 'Review', '--at', '+1h'];
  const pinned = `sha256:${'0'.repeat(64)}`;
  const named = ['--skill', 'raw', '--skill', `review@${pinned}`];
  const added = await program.run([...add, ...named, '--json'], { env });
  expect(JSON.parse(added.stdout).skills).toEqual([
    { id: 'raw', digest: sha256(RAW) },
    { id: 'review', digest: pinned },
  ]);
  const { stderr } = await program.run([...add, '--skill', 'nothing', '--skill', 'changed'], { env });
  expect(stderr).toContain('nothing is not pinned to a digest');
  expect(stderr).toContain('changed is not what its source declares');
  expect(stderr).toContain('is no skill of the registry: nothing');
});

maybe('a worker places skills of the registry that it has verified', async () => {
  const folder = join(project, 'skills');
  const place = (named: (string | { id: string; digest: string })[], mode: 'verified' | 'any' = 'verified') =>
    placeSkills({ skills: named, folder, registryUrl: fleet.baseUrl, mode, signal: AbortSignal.timeout(60_000) });
  const review = { id: 'review', digest: sha256(SKILL) };
  // The first is on a Git server that the registry does not know; the digest that it lists counts.
  expect(await place([review, 'raw'])).toEqual([
    { ...review, name: 'review', verified: true },
    { id: 'raw', name: 'raw', digest: sha256(RAW), verified: true },
  ]);
  expect(readFileSync(join(folder, 'review/scripts/run.sh'), 'utf8')).toBe('echo hi\n');
  expect(statSync(join(folder, 'review/scripts/run.sh')).mode & 0o777).toBe(0o700);
  const shipped = readFileSync(join(SHIPPED, 'write-release-notes/SKILL.md'), 'utf8');
  expect(await place(['write-release-notes'])).toEqual([
    { id: 'write-release-notes', name: 'write-release-notes', digest: sha256(shipped), verified: true },
  ]);
  expect(readFileSync(join(folder, 'write-release-notes/SKILL.md'), 'utf8')).toBe(shipped);
  const refused = { code: 'skill_unverified', retryable: false };
  await expect(place(['stale'])).rejects.toMatchObject({ ...refused, message: expect.stringContaining('lists') });
  await expect(place(['changed'])).rejects.toMatchObject({ ...refused, message: expect.stringContaining('declares') });
  await expect(place(['nothing'])).rejects.toMatchObject({ ...refused, message: expect.stringContaining('404') });
  await expect(place(['server'], 'any')).rejects.toMatchObject(refused);
  expect(await place(['stale'], 'any')).toEqual([expect.objectContaining({ name: 'stale', verified: false })]);
});

maybe('works without the fleet for everything but the registry', async () => {
  const { code, stderr } = await skills('add', 'review', '--url', 'http://127.0.0.1:9', '--json');
  expect({ code, error: JSON.parse(stderr).error }).toEqual({ code: 6, error: expect.any(String) });
  const added = await skills('add', `${repositories.url}/repo/.git#@stale`, '--url', 'http://127.0.0.1:9');
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Added stale') });
  expect((await skills('verify', '--url', 'http://127.0.0.1:9')).code).toBe(0);
});
