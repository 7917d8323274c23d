import { execFile, execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { type GitServer, startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { until } from '@agent-fleet/shared/testing/until';
import { placeSkills } from '@agent-fleet/worker';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { API_KEY, LocalFleet } from '../harness/local-fleet.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';

const FLEET = join(ROOT, 'clients/cli/bin/fleet.mjs');
const SKILL = '---\nname: review\ndescription: Reviews code.\nlicense: MIT\n---\n\n# Review\n';
const RAW = '---\nname: raw\ndescription: Has no repository.\n---\n';
const sha256 = (text: string) => `sha256:${hash('sha256', text)}`;

const root = mkdtempSync(join(tmpdir(), 'fleet-skills-e2e-'));
let project: string;
let fleet: LocalFleet;
let repositories: GitServer;
let source: Server;
let commit: string;
let records: Record<string, unknown>[] = [];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function commitAll(): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', join(root, 'repo'), ...args], { encoding: 'utf8' });
  const author = ['-c', 'user.email=author@example.com', '-c', 'user.name=Author'];
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'uploadpack.allowFilter', 'true');
  git('add', '--all');
  git(...author, 'commit', '--quiet', '--message=Change');
  return git('rev-parse', 'HEAD').trim();
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `fleet skills` in the project. */
function skills(...args: string[]): Promise<Outcome> {
  return run(['skills', ...args]);
}

function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: root, FLEET_URL: fleet.baseUrl, GIT_CONFIG_NOSYSTEM: '1', ...more };
  return new Promise((resolve) => {
    execFile(process.execPath, [FLEET, ...args], { cwd: project, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
}

async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, code } = await skills(...args, '--json');
  if (stdout === '') throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

if (CONTROLS_PROCESSES) {
  beforeAll(open, 180_000);
  afterAll(close, 180_000);
  beforeEach(() => {
    project = mkdtempSync(join(root, 'project-'));
  });
} else logOmittedTests('fleet skills');

async function open(): Promise<void> {
  for (const [path, text] of [
    ['repo/skills/review/SKILL.md', SKILL],
    ['repo/skills/review/scripts/run.sh', 'echo hi\n'],
    ['repo/skills/stale/SKILL.md', SKILL.replace('name: review', 'name: stale')],
  ] as const) {
    write(path, text);
  }
  chmodSync(join(root, 'repo/skills/review/scripts/run.sh'), 0o755);
  commit = commitAll();
  repositories = await startGitServer(root);
  source = createServer((req, res) => {
    if (req.url?.startsWith('/raw/SKILL.md')) res.end(RAW);
    else res.setHeader('content-type', 'application/json').end(JSON.stringify(records));
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
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
  const registry = { REGISTRY_SOURCE_URL: `${origin}/registry.json`, REGISTRY_ALLOW_PRIVATE: 'true' };
  fleet = await LocalFleet.start({ env: { registry } });
  await until(async () => (await fetch(`${fleet.baseUrl}/api/skills/review`)).ok, {
    message: 'the registry has the skills',
  });
}

async function close(): Promise<void> {
  await fleet?.close();
  repositories?.close();
  source?.closeAllConnections();
  source?.close();
  rmSync(root, { recursive: true, force: true });
}

const maybe = CONTROLS_PROCESSES ? test : test.skip;

maybe('finds and shows skills of the registry', async () => {
  expect((await json<{ id: string }[]>('search', 'reviews', 'code'))[0]).toMatchObject({ id: 'review' });
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
  write('repo/skills/review/more.md', 'more\n');
  const next = commitAll();
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
  const credentials = { FLEET_API_KEY: API_KEY };
  const created = await run(['agents', 'create', 'Reviewer', '--type', 'claude', '--quiet'], credentials);
  const add = ['tasks', 'add', created.stdout.trim(), 'Review', '--at', '+1h'];
  const pinned = `sha256:${'0'.repeat(64)}`;
  const named = ['--skill', 'raw', '--skill', 'nothing', '--skill', `review@${pinned}`];
  const added = await run([...add, ...named, '--json'], credentials);
  expect(JSON.parse(added.stdout).skills).toEqual([
    { id: 'raw', digest: sha256(RAW) },
    'nothing',
    { id: 'review', digest: pinned },
  ]);
  const { stderr } = await run([...add, '--skill', 'nothing', '--skill', 'changed'], credentials);
  expect(stderr).toContain('nothing is not pinned to a digest');
  expect(stderr).toContain('changed is not what its source declares');
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
