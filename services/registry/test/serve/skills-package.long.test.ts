import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { startUpstream } from '../support/fake-upstream.ts';
import { openRegistry, untilSkills } from '../support/open-registry.ts';
import { openFolder } from '../support/opened.ts';

const CLI = join(fileURLToPath(import.meta.resolve('skills/package.json')), '../bin/cli.mjs');
const FILE = '---\nname: review\ndescription: Reviews code.\n---\n\n# Review\n';
const OTHER = '---\nname: sing\ndescription: Sings.\n---\n';

/** Runs the command-line program of the package in `folder`; it reaches this machine only. */
async function runSkills(folder: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const local = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
    cwd: folder,
    timeout: 60_000,
    env: { PATH: process.env.PATH, HOME: folder, DISABLE_TELEMETRY: '1', NO_PROXY: '127.0.0.1', ...local, ...env },
  });
  return stripVTControlCharacters(stdout);
}

async function openSkills() {
  const place = await startUpstream();
  own(() => place.close());
  place.serveFiles({ '/review/SKILL.md': FILE, '/sing/SKILL.md': OTHER });
  const fileOf = (name: string) => `http://127.0.0.1:${place.port}/${name}/SKILL.md`;
  const digest = `sha256:${hash('sha256', OTHER)}`;
  const source = await startUpstream([
    { id: 'review', name: 'review', description: 'Reviews code.', url: fileOf('review'), downloads: 1_200 },
    { id: 'sing', name: 'sing', description: 'Sings.', url: fileOf('sing'), digest },
    { id: 'a/pdf', name: 'pdf', description: 'Reviews documents.', repo: 'a/tools', path: 'pdf' },
    { id: 'b/pdf', name: 'pdf', description: 'Reviews documents.', repo: 'b/tools', path: 'pdf' },
  ]);
  own(() => source.close());
  const registry = await openRegistry({ source: source.url, allowsPrivate: true });
  await untilSkills(registry, 4);
  return registry;
}

test('the skills package finds skills through the registry', async () => {
  const { url } = await openSkills();
  const find = (...args: string[]) => runSkills(openFolder(), ['find', ...args], { SKILLS_API_URL: url });
  expect(await find('review')).toContain('review@review 1.2K installs');
  const found = await find('pdf');
  for (const one of ['a/tools@pdf', 'b/tools@pdf']) expect(found).toContain(one);
  const ofOwner = await find('pdf', '--owner', 'B');
  expect(ofOwner).toContain('b/tools@pdf');
  expect(ofOwner).not.toContain('a/tools@pdf');
  expect(await find('zzqqxx')).toContain('No skills found');
}, 120_000);

test('the skills package adds a skill through the registry, and only that one', async () => {
  const { url } = await openSkills();
  const folder = openFolder();
  const output = await runSkills(folder, [
    'add',
    `${url}/api/skills/review`,
    '--yes',
    '--agent',
    'claude-code',
    '--copy',
  ]);
  expect(output).toContain('Installed 1 skill');
  expect(readFileSync(join(folder, '.claude/skills/review/SKILL.md'), 'utf8')).toBe(FILE);
  const lock = JSON.parse(readFileSync(join(folder, 'skills-lock.json'), 'utf8'));
  expect(lock.skills).toEqual({
    review: expect.objectContaining({
      sourceType: 'well-known',
      sourceUrl: `${url}/api/skills/review`,
      wellKnownDigest: `sha256:${hash('sha256', FILE)}`,
    }),
  });
}, 120_000);

test('the skills package adds all skills of the well-known index', async () => {
  const { url } = await openSkills();
  const folder = openFolder();
  await runSkills(folder, ['add', url, '--yes', '--agent', 'claude-code', '--copy']);
  expect(readFileSync(join(folder, '.claude/skills/sing/SKILL.md'), 'utf8')).toBe(OTHER);
}, 120_000);

test('the skills package adds a skill that ships, of the index of all', async () => {
  const { url } = await openRegistry({});
  const folder = openFolder();
  await runSkills(folder, ['add', url, '--skill', 'triage-issues', '--yes', '--agent', 'claude-code', '--copy']);
  const shipped = new URL('../../skills/triage-issues/SKILL.md', import.meta.url);
  expect(readdirSync(join(folder, '.claude/skills'))).toEqual(['triage-issues']);
  expect(readFileSync(join(folder, '.claude/skills/triage-issues/SKILL.md'))).toEqual(readFileSync(shipped));
}, 120_000);
