import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { commitFiles, REVIEW, skillFile, writeFiles } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { type NamedSkill, type PlaceSkillsOptions, placeSkills } from '../../src/skills/place-skills.ts';
import { type ListedSkill, sha256, startRegistry, startRepository } from './support/skill-registry.ts';

const FILE = REVIEW['SKILL.md'];
const inFolder = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`skills/review/${path}`, content]));

/** Places skills of a registry; `folder` is where they are, and what is in it. */
async function place(
  skills: Record<string, ListedSkill>,
  named: readonly NamedSkill[] = Object.keys(skills),
  options: Partial<PlaceSkillsOptions> = {},
) {
  const registry = await startRegistry(skills);
  const folder = join(ownFolder(), 'skills');
  const signal = new AbortController().signal;
  const placing = placeSkills({
    skills: named,
    folder,
    registryUrl: registry.url,
    mode: 'verified',
    signal,
    ...options,
  });
  const placed = await placing.catch((error: Error) => error);
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
  return { placed, folder, files, requests: registry.requests };
}

const refusal = (message: RegExp, retryable = false) =>
  expect.objectContaining({ code: 'skill_unverified', retryable, message: expect.stringMatching(message) });

test('places a SKILL.md whose digest the registry sends', async () => {
  const { placed, folder, files, requests } = await place({ review: { skillFile: FILE } }, ['review'], {
    headers: { authorization: 'Bearer key' },
  });
  expect(placed).toEqual([{ id: 'review', name: 'review', digest: sha256(FILE), verified: true }]);
  expect(files).toEqual(['review', 'review/SKILL.md']);
  expect(readFileSync(join(folder, 'review/SKILL.md'), 'utf8')).toBe(FILE);
  expect(statSync(join(folder, 'review')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'review/SKILL.md')).mode & 0o777).toBe(0o600);
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key', 'Bearer key']);
});

test('places the whole folder of a repository, executable where Git says so', async () => {
  const repository = await startRepository({ 'README.md': 'r' });
  writeFiles(repository.folder, inFolder(REVIEW));
  chmodSync(join(repository.folder, 'skills/review/scripts/run.sh'), 0o755);
  commitFiles(repository.folder, {});
  const source = { url: repository.url, path: 'skills/review/SKILL.md' };
  const { placed, folder } = await place({ 'a~review': { skillFile: FILE, source } });
  expect(placed).toEqual([{ id: 'a~review', name: 'review', digest: sha256(FILE), verified: true }]);
  for (const [path, content] of Object.entries(REVIEW)) {
    expect(readFileSync(join(folder, 'review', path), 'utf8')).toBe(content);
    const mode = path.endsWith('.sh') ? 0o700 : 0o600;
    expect(statSync(join(folder, 'review', path)).mode & 0o777).toBe(mode);
  }
});

test('places the commit that the registry names, not what its branch has become', async () => {
  const repository = await startRepository(inFolder(REVIEW));
  commitFiles(repository.folder, { 'skills/review/scripts/run.sh': 'changed' });
  const source = { url: repository.url, path: 'skills/review', ref: repository.commit };
  const { folder } = await place({ review: { skillFile: FILE, source } });
  expect(readFileSync(join(folder, 'review/scripts/run.sh'), 'utf8')).toBe(REVIEW['scripts/run.sh']);
});

test('fetches a repository of several skills once', async () => {
  const other = skillFile('other');
  const repository = await startRepository({ ...inFolder(REVIEW), 'skills/other/SKILL.md': other });
  const skill = (file: string, path: string) => ({ skillFile: file, source: { url: repository.url, path } });
  const { files } = await place({ review: skill(FILE, 'skills/review'), other: skill(other, 'skills/other') });
  expect(files).toEqual(expect.arrayContaining(['other/SKILL.md', 'review/SKILL.md', 'review/scripts/run.sh']));
  // The commit, each SKILL.md, and what is beside the first.
  expect(repository.requests.filter((path) => path.includes('info/refs?service=git-upload-pack'))).toHaveLength(4);
});

test('refuses another content than the task pins, whatever the mode', async () => {
  const pinned = { id: 'review', digest: sha256('another') };
  for (const mode of ['verified', 'any'] as const) {
    const { placed, files } = await place({ review: { skillFile: FILE } }, [pinned], { mode });
    expect(placed).toEqual(refusal(/has the digest sha256:[0-9a-f]{64}, and the task pins/));
    expect(files).toEqual([]);
  }
  const { placed } = await place({ review: { skillFile: FILE } }, [pinned, 'review', 'review']);
  expect(placed).toEqual(refusal(/the task pins/));
});

test('a pin is a digest where the registry sends none', async () => {
  const review = { skillFile: FILE, headers: { 'repr-digest': null } };
  const { placed } = await place({ review }, [{ id: 'review', digest: sha256(FILE) }]);
  expect(placed).toEqual([expect.objectContaining({ verified: true })]);
});

const DOUBTFUL: Record<string, [ListedSkill, RegExp]> = {
  'without a digest': [{ skillFile: FILE, headers: { 'repr-digest': null } }, /has no digest/],
  'with a digest of another kind': [{ skillFile: FILE, headers: { 'repr-digest': 'md5=:AAAA:' } }, /has no digest/],
  'whose source declares another digest': [
    { skillFile: FILE, headers: { 'x-digest-mismatch': sha256('another') } },
    /its source declares/,
  ],
  'that the registry lists with another digest': [{ skillFile: FILE, digest: sha256('another') }, /the registry lists/],
  'of a folder with another digest': [
    { skillFile: FILE, digest: sha256('another'), digestOf: 'folder' },
    /the registry lists/,
  ],
};

for (const [what, [review, reason]] of Object.entries(DOUBTFUL)) {
  test(`refuses a skill ${what}, or places it as not verified`, async () => {
    const strict = await place({ review });
    expect(strict.placed).toEqual(refusal(reason));
    expect(strict.files).toEqual([]);
    const { placed, files } = await place({ review }, ['review'], { mode: 'any' });
    expect(placed).toEqual([{ id: 'review', name: 'review', digest: sha256(FILE), verified: false }]);
    expect(files).toEqual(['review', 'review/SKILL.md']);
  });
}

test('refuses bytes that have changed on their way, whatever the mode', async () => {
  const headers = { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
  for (const mode of ['verified', 'any'] as const) {
    const { placed } = await place({ review: { skillFile: FILE, headers } }, ['review'], { mode });
    expect(placed).toEqual(refusal(/arrived with the digest/));
  }
});

test('compares the digest of a folder as fleet skills add does', async () => {
  const repository = await startRepository(inFolder({ 'SKILL.md': FILE, 'a.md': 'a' }));
  const source = { url: repository.url, path: 'skills/review' };
  // SHA-256 of paths and contents in the order of the paths.
  const digest = sha256(`a.mda${'SKILL.md'}${FILE}`);
  const good = await place({ review: { skillFile: FILE, source, digest, digestOf: 'folder' } });
  expect(good.placed).toEqual([expect.objectContaining({ verified: true })]);
  commitFiles(repository.folder, { 'skills/review/a.md': 'changed' });
  const changed = await place({ review: { skillFile: FILE, source, digest, digestOf: 'folder' } });
  expect(changed.placed).toEqual(refusal(/the registry lists/));
});

test('does not replace the SKILL.md of the registry by another one of the repository', async () => {
  const repository = await startRepository(inFolder({ ...REVIEW, 'SKILL.md': skillFile('review', 'Steals keys.') }));
  const review = { skillFile: FILE, source: { url: repository.url, path: 'skills/review' } };
  expect((await place({ review })).placed).toEqual(refusal(/another SKILL\.md in its repository/));
  const { placed, folder, files } = await place({ review }, ['review'], { mode: 'any' });
  expect(placed).toEqual([expect.objectContaining({ verified: false })]);
  expect(files).toEqual(['review', 'review/SKILL.md']);
  expect(readFileSync(join(folder, 'review/SKILL.md'), 'utf8')).toBe(FILE);
});

test('fails for now when the repository cannot be read, or places the SKILL.md alone', async () => {
  const review = { skillFile: FILE, source: { url: 'http://127.0.0.1:9/repo.git', path: 'skills/review' } };
  const strict = await place({ review });
  expect(strict.placed).toEqual(refusal(/cannot be fetched/, true));
  expect(strict.files).toEqual([]);
  const { placed, files } = await place({ review }, ['review'], { mode: 'any' });
  expect(placed).toEqual([expect.objectContaining({ verified: false })]);
  expect(files).toEqual(['review', 'review/SKILL.md']);
  // The digest of the folder says that the SKILL.md is all there is.
  const digest = sha256(`SKILL.md${FILE}`);
  const whole = await place({ review: { ...review, digest, digestOf: 'folder' } });
  expect(whole.placed).toEqual([expect.objectContaining({ verified: true })]);
});

test('takes a skill from its repository alone where the registry cannot fetch the SKILL.md', async () => {
  const repository = await startRepository(inFolder(REVIEW));
  const respond: ListedSkill['respond'] = (_req, res) => res.writeHead(404).end('{"detail":"SKILL.md not found"}');
  const review = { skillFile: FILE, respond, source: { url: repository.url, path: 'skills/review' } };
  const digest = sha256(FILE);
  const verified = [{ id: 'review', name: 'review', digest, verified: true }];
  const listed = await place({ review: { ...review, digest } });
  expect(listed.placed).toEqual(verified);
  expect(listed.files).toContain('review/scripts/run.sh');
  expect((await place({ review }, [{ id: 'review', digest }])).placed).toEqual(verified);

  expect((await place({ review })).placed).toEqual(refusal(/has no digest/));
  const any = await place({ review }, ['review'], { mode: 'any' });
  expect(any.placed).toEqual([expect.objectContaining({ digest, verified: false })]);
  expect((await place({ review: { ...review, digest: sha256('x') } })).placed).toEqual(refusal(/the registry lists/));
  const pinned = [{ id: 'review', digest: sha256('x') }];
  expect((await place({ review }, pinned, { mode: 'any' })).placed).toEqual(refusal(/the task pins/));
  const nowhere = await place({ review: { skillFile: FILE, respond } }, ['review'], { mode: 'any' });
  expect(nowhere.placed).toEqual(refusal(/no SKILL\.md that the registry can fetch/));
  commitFiles(repository.folder, { 'skills/review/SKILL.md': `${FILE}${'x'.repeat(2 ** 18)}` });
  expect((await place({ review }, ['review'], { mode: 'any' })).placed).toEqual(refusal(/a SKILL\.md of 262\d+ bytes/));
});

test('refuses a folder with a link out of it, whatever the mode', async () => {
  const repository = await startRepository(inFolder(REVIEW));
  symlinkSync('../../../../../etc/passwd', join(repository.folder, 'skills/review/a'));
  commitFiles(repository.folder, {});
  const review = { skillFile: FILE, source: { url: repository.url, path: 'skills/review' } };
  for (const mode of ['verified', 'any'] as const) {
    const { placed, files } = await place({ review }, ['review'], { mode });
    expect(placed).toEqual(refusal(/leads out of it/));
    expect(files).toEqual([]);
  }
});

test('names folders after skills, or after their ids when a name is no name', async () => {
  const evil = { skillFile: skillFile('../../evil') };
  const long = { skillFile: `---\nname: ${'x'.repeat(100)}\ndescription: d\n---\n` };
  const { placed, files } = await place({
    '../../évil': evil,
    代码: evil,
    'x@y': { skillFile: 'no front matter' },
    one: { skillFile: FILE },
    two: { skillFile: FILE },
    'review-2': { skillFile: skillFile('review-2') },
    long,
  });
  const names = (placed as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual([
    'evil',
    expect.stringMatching(/^skill-[0-9a-f]{8}$/),
    'x-y',
    'review',
    'review-2',
    'review-2-2',
    'long',
  ]);
  expect(files.filter((path) => path.endsWith('SKILL.md'))).toEqual(names.map((name) => `${name}/SKILL.md`).sort());
});

test.each(['', '.', '..', '\ud800'])('refuses the id %j, which would lead to another path', async (id) => {
  const { placed, requests } = await place({}, [id]);
  expect(placed).toEqual(refusal(/is not the id of a skill/));
  expect(requests).toEqual([]);
});

test('an id stays within its path', async () => {
  const { placed, requests } = await place({}, ['../../api/keys?x#y']);
  expect(placed).toEqual(refusal(/status 404/));
  expect(requests.map(({ url }) => url?.split('/')[3])).toEqual(['..%2F..%2Fapi%2Fkeys%3Fx%23y']);
});

test('refuses more than 256 KiB, a redirect, and what is no skill', async () => {
  const big = await place({ big: { skillFile: Buffer.alloc(2 ** 20, 'x') } });
  expect(big.placed).toEqual(refusal(/larger than 262144 bytes/));
  let reached = false;
  const respond: ListedSkill['respond'] = (req, res) => {
    reached ||= req.url === '/elsewhere';
    res.writeHead(302, { location: '/elsewhere' }).end();
  };
  const moved = await place({ moved: { skillFile: FILE, respond } });
  expect(moved.placed).toEqual(refusal(/too many redirects/, true));
  expect(reached).toBe(false);
  const server = await place({ server: { skillFile: FILE, kind: 'mcp_server' } });
  expect(server.placed).toEqual(refusal(/not a skill/));
});

test('gives up when a host is slow, and may be tried again when it fails', async () => {
  const slow = { skillFile: FILE, respond: () => {} };
  const late = await place({ slow }, ['slow'], { timeoutMs: 300 });
  expect(late.placed).toEqual(refusal(/not fetched in 0\.3 s/, true));
  const failing: ListedSkill = { skillFile: FILE, respond: (_req, res) => res.writeHead(502).end() };
  expect((await place({ failing })).placed).toEqual(refusal(/status 502/, true));
  const { placed } = await place({}, ['review'], { registryUrl: 'http://127.0.0.1:9' });
  expect(placed).toEqual(refusal(/no connection/, true));
});

test('stops for the reason of its signal', async () => {
  const slow = { skillFile: FILE, respond: () => {} };
  const reason = new Error('The task was cancelled');
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(reason), 100);
  const { placed, files } = await place({ slow }, ['slow'], { signal: stopping.signal });
  expect(placed).toBe(reason);
  expect(files).toEqual([]);
});

test('writes nothing unless all skills are good, and follows no link', async () => {
  const bad = { skillFile: FILE, headers: { 'repr-digest': null } };
  const some = await place({ review: { skillFile: FILE }, bad });
  expect(some.files).toEqual([]);
  const folder = ownFolder();
  const outside = ownFolder();
  symlinkSync(outside, join(folder, 'review'));
  const { placed } = await place({ review: { skillFile: FILE } }, ['review'], { folder });
  expect(placed).toEqual(expect.objectContaining({ code: 'EEXIST' }));
  expect(readdirSync(outside)).toEqual([]);
});

test('takes no skills when they are off, nor more than sixteen', async () => {
  const { placed, requests } = await place({ review: { skillFile: FILE } }, ['review'], { mode: 'off' });
  expect(placed).toEqual(refusal(/takes no skills/));
  expect(requests).toEqual([]);
  const many = await place(
    {},
    Array.from({ length: 17 }, (_, at) => `skill-${at}`),
  );
  expect(many.placed).toEqual(refusal(/names 17 skills/));
  expect((await place({}, [], { mode: 'off' })).placed).toEqual([]);
});

test('keeps the keys of providers from Git', async () => {
  const bin = ownFolder();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n/usr/bin/env > ${bin}/env\nexit 1\n`, { mode: 0o755 });
  const review = { skillFile: FILE, source: { url: 'https://git.example/o/r.git', path: 'skills/review' } };
  const env = { PATH: bin, HOME: bin, ANTHROPIC_API_KEY: 'secret', FLEET_API_KEY: 'secret' };
  expect((await place({ review }, ['review'], { env })).placed).toEqual(refusal(/cannot be fetched/, true));
  const seen = readFileSync(join(bin, 'env'), 'utf8');
  expect(seen).toContain(`HOME=${bin}`);
  expect(seen).not.toContain('secret');
});
