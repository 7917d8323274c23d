import { expect, test } from '@jest/globals';
import { Report } from '../../skills/report.ts';
import { type Draft, normaliseRecord } from '../normalise.ts';
import type { RecordContext } from '../records.ts';

const NOT_FOUND = { repo: null, path: null, ref: null, url: null };
const ON_GITHUB = 'https://github.com/a/b';
const FOLDER = `${ON_GITHUB}/tree/main/p`;
const ARCHIVE = `${ON_GITHUB}/raw/refs/heads/dev/p.zip`;
const RAW_FILE = 'https://raw.githubusercontent.com/a/b/main/p/SKILL.md';
const API = 'https://api.github.com/repos/a/b/contents/p?ref=main';
const ELSEWHERE = 'https://git.example.com/a/b';
const RAW = 'https://raw.githubusercontent.com/me/market/v2/.claude-plugin/marketplace.json';

function draftOf(record: object, context?: Partial<RecordContext>, report = new Report()): Draft {
  const value = { name: 'x', ...record };
  const draft = normaliseRecord({ index: 0, value, context: { kind: 'skill', ...context } }, report);
  if (draft === undefined) throw new Error('The record is rejected');
  return draft;
}

const placeOf = (record: object, context?: Partial<RecordContext>) => draftOf(record, context).skill.source;
const inMarketplace = (source: unknown, more: Partial<RecordContext> = {}) =>
  placeOf({ source }, { kind: 'plugin', address: RAW, ...more });

const commit = '0123456789abcdef0123456789abcdef01234567';

/** What is expected of `source`. */
type Place = [repo: string | null, path?: string | null, ref?: string | null, url?: string | null];

const toSource = ([repo, path = null, ref = null, url = null]: Place) => ({ repo, path, ref, url });

test.each<[object, ...Place]>([
  [{ owner: 'a', repo: 'b' }, 'a/b'],
  [{ owner: { login: 'a' }, repo: 'b' }, 'a/b'],
  [{ repoOwner: 'a', repoName: 'b', repoBranch: 'dev', directory: 'p' }, 'a/b', 'p', 'dev'],
  [{ githubOwner: 'a', githubRepo: 'b', githubPath: 'p' }, 'a/b', 'p'],
  [{ metadata: { repoOwner: 'a', repoName: 'b', directoryPath: 'p' } }, 'a/b', 'p'],
  [{ source: { owner: 'a', repo: 'b', path: 'p', branch: 'main' } }, 'a/b', 'p', 'main'],
  [{ repoOwner: 'a', repoName: 'b', source: 'folder/skill' }, 'a/b'],
  [{ installUrl: 'github:a/b:skills/p' }, 'a/b', 'skills/p'],
  [{ installUrl: 'github:a/b#v1:p' }, 'a/b', 'p', 'v1'],
  [{ install: 'gitlab:a/b:p' }, 'a/b', 'p', null, 'https://gitlab.com/a/b'],
  [{ key: 'a/b:p' }, 'a/b', 'p'],
  [{ key: 'a/b:1.2.0' }, null],
  [{ install: 'npx skills add a/b' }, null],
  [{ repo: 'a/b', relPath: 'p' }, 'a/b', 'p'],
  [{ source: 'a/b', skillPath: 'p/SKILL.md' }, 'a/b', 'p/SKILL.md'],
  [{ repo: 'a/b', skill_path: 'p' }, 'a/b', 'p'],
  [{ upstream: ON_GITHUB, paths: ['p'] }, 'a/b', 'p', null, ON_GITHUB],
  [{ upstream: ON_GITHUB, paths: ['p', 'q'] }, 'a/b', null, null, ON_GITHUB],
  [{ source: { skill_md_url: RAW_FILE } }, 'a/b', 'p/SKILL.md', 'main', RAW_FILE],
  [{ download_url: ARCHIVE }, 'a/b', 'p.zip', 'dev', ARCHIVE],
  [{ download_url: 'https://example.com/p.zip' }, null, null, null, 'https://example.com/p.zip'],
  [{ url: API, html_url: FOLDER }, 'a/b', 'p', 'main', FOLDER],
  [{ repo: 'a/b', githubUrl: FOLDER }, 'a/b', 'p', 'main'],
  [{ repo: 'a/b', branch: 'main', commit_sha: commit }, 'a/b', null, commit],
  [{ repo: 'a/b', ref: 'v1', sha: commit }, 'a/b', null, commit],
  [{ repo: 'a/b', tag: 'v1', gitCommitSha: commit }, 'a/b', null, commit],
  [{ repo: 'a/b', branch: 'main', tag: 'v1' }, 'a/b', null, 'v1'],
  [{ repo: 'a/b', branch: 'main', tag: 'Documents' }, 'a/b', null, 'main'],
  [{ repo: 'a/b', branch: 'main', commit: 'v2' }, 'a/b', null, 'main'],
  [{ repo: 'a/b', commit: 'v2' }, 'a/b', null, 'v2'],
  [{ repo: 'a/b', branch: 'main', sha: 'f0'.repeat(32) }, 'a/b', null, 'main'],
  [{ githubUrl: FOLDER, commit }, 'a/b', 'p', commit, FOLDER],
  [{ html_url: FOLDER, type: 'dir', sha: commit }, 'a/b', 'p', 'main', FOLDER],
  [{ metadata: { source: { repo: 'a/b', ref: 'v1', sha: commit } } }, 'a/b', null, commit],
  [{ git: { url: `${ON_GITHUB}.git`, ref: 'v1' }, path: 'p' }, 'a/b', 'p', 'v1', `${ON_GITHUB}.git`],
  [{ git: { url: 'https://git.example.com/a/b', tag: 'stable-1', commit } }, 'a/b', null, commit, ELSEWHERE],
  [{ git: ON_GITHUB, path: 'p' }, 'a/b', 'p', null, ON_GITHUB],
  [{ repository: { url: ON_GITHUB, directory: 'p', branch: 'dev', sha: commit } }, 'a/b', 'p', commit, ON_GITHUB],
  [{ source: './', repository: ON_GITHUB }, 'a/b', '.', null, ON_GITHUB],
  [{ source: './p', repo: 'a/b', ref: 'v1' }, 'a/b', 'p', 'v1'],
  [{ repo: 'a/b', path: 'skills\\p\\SKILL.md' }, 'a/b', 'skills/p/SKILL.md'],
  [{ repo: 'a/b', paths: ['.\\skills\\p'] }, 'a/b', './skills/p'],
  [{ repo: 'a/b', commitHash: commit }, 'a/b', null, commit],
  [{ repo: 'a/b', sha: commit }, 'a/b', null, commit],
  [{ repo: 'a/b', sha: 'not a commit' }, 'a/b'],
])('the place of a skill is read from %j', (record, ...place) => {
  expect(placeOf(record)).toEqual(toSource(place));
});

test.each<[unknown, ...Place]>([
  ['./plugins/x', 'me/market', 'plugins/x', 'v2'],
  ['.\\plugins\\x', 'me/market', 'plugins/x', 'v2'],
  ['plugins/x/', 'me/market', 'plugins/x', 'v2'],
  ['./', 'me/market', '.', 'v2'],
  ['x', 'me/market', 'x', 'v2'],
  ['a/b', 'a/b'],
  [{ source: 'local', path: './plugins/x' }, 'me/market', 'plugins/x', 'v2'],
  [{ source: 'github', repo: 'a/b', ref: 'v1', sha: commit }, 'a/b', null, commit],
  [{ source: 'github', repo: 'a/b', sha: commit }, 'a/b', null, commit],
  [{ source: 'url', url: `${ON_GITHUB}.git` }, 'a/b', null, null, `${ON_GITHUB}.git`],
  [{ source: 'url', url: 'https://git.example.com/a/b' }, 'a/b', null, null, 'https://git.example.com/a/b'],
  [{ source: 'git-subdir', url: 'a/b', path: 'p', ref: 'v1' }, 'a/b', 'p', 'v1'],
  [{ source: 'npm', package: '@a/b' }, null],
])('the source %j of a plugin is read', (source, ...place) => {
  expect(inMarketplace(source)).toEqual(toSource(place));
});

test.each([
  ['https://github.com/me/market/raw/main/marketplace.json', 'main'],
  ['https://github.com/me/market/blob/main/marketplace.json', 'main'],
  ['https://raw.githubusercontent.com/me/market/refs/heads/main/marketplace.json', 'main'],
  ['https://api.github.com/repos/me/market/contents/marketplace.json', null],
  ['https://cdn.jsdelivr.net/gh/me/market@v3/marketplace.json', 'v3'],
])('the repository of a marketplace at %s is known', (address, ref) => {
  expect(inMarketplace('./x', { address })).toEqual({ ...NOT_FOUND, repo: 'me/market', ref, path: 'x' });
});

test('a marketplace on GitLab has its plugins there', () => {
  const address = 'https://gitlab.com/me/market/-/raw/main/marketplace.json';
  const url = 'https://gitlab.com/me/market';
  expect(inMarketplace('./x', { address })).toEqual({ repo: 'me/market', ref: 'main', path: 'x', url });
});

test.each([undefined, 'https://example.com/me/marketplace.json', 'https://example.com/marketplace.json'])(
  'a relative source of a marketplace at %s is a path without a repository',
  (address) => {
    expect(inMarketplace('./plugins/x', { address })).toEqual({ ...NOT_FOUND, path: 'plugins/x' });
  },
);

test('the folder of plugins of a marketplace is part of their paths', () => {
  const root = './plugins';
  expect(inMarketplace('x', { root }).path).toBe('plugins/x');
  expect(inMarketplace('./a/x', { root }).path).toBe('plugins/a/x');
  expect(inMarketplace('./plugins/x', { root }).path).toBe('plugins/x');
});

test.each(['../x', './../x', './a/../../x', '..'])(
  'the source %s, which leaves the repository, is not served',
  (source) => {
    const report = new Report();
    const { skill } = draftOf({ source }, { kind: 'plugin', address: RAW }, report);
    expect(skill).toMatchObject({ source: NOT_FOUND, extra: { source } });
    expect(report.warnings()).toContainEqual({ code: 'path_unsafe', count: 1 });
  },
);

test.each(['..\\x', 'p\\..\\..\\x', '\\x', 'C:\\x'])(
  'the path %j with backslashes, which leaves its folder, is not served',
  (path) => {
    expect(draftOf({ repo: 'a/b', path }).skill).toMatchObject({ source: { path: null }, extra: { path } });
  },
);

test('the repository that a plugin names is its own only where that of its marketplace is unknown', () => {
  const record = { source: './plugins/x', repository: 'a/b' };
  expect(placeOf(record, { kind: 'plugin', address: RAW })).toMatchObject({ repo: 'me/market', path: 'plugins/x' });
  expect(placeOf(record, { kind: 'plugin', repository: 'o/n' })).toMatchObject({ repo: 'a/b', path: 'plugins/x' });
  expect(placeOf(record, { address: RAW })).toMatchObject({ repo: 'a/b', path: 'plugins/x', ref: null });
});

test('a plugin without an author has that of its repository, else the owner of the marketplace', () => {
  const of = (source: unknown, address?: string) =>
    draftOf({ source }, { kind: 'plugin', owner: 'Jane Doe', address }).skill.author;
  expect([of('./x', RAW), of('./x'), of({ source: 'github', repo: 'a/b' })]).toEqual(['me', 'Jane Doe', 'a']);
});

test.each<[object, ...Place]>([
  [{ path: 'p' }, 'o/n', 'p', 'main'],
  [{}, 'o/n', null, 'main'],
  [{ homepage: 'https://example.com', path: 'p' }, 'o/n', 'p', 'main', 'https://example.com'],
  [{ url: 'https://example.com/x' }, null, null, null, 'https://example.com/x'],
  [{ repo: 'a/b', path: 'p' }, 'a/b', 'p'],
  [{ repo: 'elsewhere', path: 'p' }, null, 'p'],
])('a record %j in a file of one repository has its own place first', (record, ...place) => {
  expect(placeOf(record, { repository: 'o/n', ref: 'main' })).toEqual(toSource(place));
});

const INDEX = 'https://example.com/.well-known/agent-skills/index.json';

test.each([
  ['/skills/x/SKILL.md', 'https://example.com/skills/x/SKILL.md'],
  ['x/SKILL.md', 'https://example.com/.well-known/agent-skills/x/SKILL.md'],
  ['./x.zip', 'https://example.com/.well-known/agent-skills/x.zip'],
  ['../../x/SKILL.md', 'https://example.com/x/SKILL.md'],
  ['//cdn.example.com/x/SKILL.md', null],
])('the address %s is resolved against that of the file', (url, resolved) => {
  const report = new Report();
  const { skill } = draftOf({ url }, { address: INDEX }, report);
  expect(skill).toMatchObject({ source: { url: resolved ?? 'https://cdn.example.com/x/SKILL.md' }, extra: {} });
  expect(report.warnings().map(({ code }) => code)).not.toContain('url_unsafe');
  expect(placeOf({ url })).toEqual(NOT_FOUND);
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'n/a',
  'None',
  'example.com/x',
  'a b/c',
  '\\\\x\\y',
])('the address %s is not resolved', (url) => {
  const report = new Report();
  expect(draftOf({ url }, { address: INDEX }, report).skill).toMatchObject({ source: NOT_FOUND, extra: { url } });
  expect(report.warnings()).toContainEqual({ code: 'url_unsafe', count: 1 });
});

test('a relative address in a repository is a place in it', () => {
  const source = placeOf({ url: '../skills/x/SKILL.md' }, { address: RAW });
  expect(source).toEqual({
    repo: 'me/market',
    ref: 'v2',
    path: 'skills/x/SKILL.md',
    url: 'https://raw.githubusercontent.com/me/market/v2/skills/x/SKILL.md',
  });
});

test.each(['../../skills/x/SKILL.md', '../../../../other/market/v2/SKILL.md', '/skills/x/SKILL.md'])(
  'the relative address %s, which leaves the repository of its file, is not resolved',
  (url) => {
    expect(draftOf({ url }, { address: RAW }).skill).toMatchObject({ source: NOT_FOUND, extra: { url } });
  },
);

test('a discovery index that lists files has each SKILL.md in a folder beside it', () => {
  const address = 'https://example.com/.well-known/skills/index.json';
  const url = 'https://example.com/.well-known/skills/x/SKILL.md';
  expect(placeOf({ files: ['SKILL.md'] }, { address })).toEqual({ ...NOT_FOUND, url });
  expect(placeOf({ name: '../x', files: ['SKILL.md'] }, { address }).url).toBe(
    'https://example.com/.well-known/skills/..%2Fx/SKILL.md',
  );
  expect(placeOf({}, { address })).toEqual(NOT_FOUND);
  expect(placeOf({ files: ['SKILL.md'] }, { address: 'https://example.com/skills.json' })).toEqual(NOT_FOUND);
});

test.each<[object, string | undefined]>([
  [{ repo: 'Claude-Code' }, 'claude-code'],
  [{ repository: 'see the site' }, 'see the site'],
  [{ owner: 'a', repo: 'b' }, undefined],
  [{ repo: 'n/a' }, undefined],
  [{ source: 'Community Skills' }, undefined],
  [{ repo: 'b', url: 'https://github.com/a/b' }, undefined],
  [{}, undefined],
])('what %j names as its repository without being understood is %s', (record, unknownRepository) => {
  expect(draftOf(record).unknownRepository).toBe(unknownRepository);
});
