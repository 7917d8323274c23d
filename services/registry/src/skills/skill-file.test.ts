import { expect, test } from '@jest/globals';
import type { Skill } from './skill.ts';
import { guessSkillFile, isOnGitHub, locateSkillFile, locateSkillPage } from './skill-file.ts';

type Source = Partial<Skill['source']>;

const sourceOf = (source: Source) => ({ repo: null, path: null, ref: null, url: null, ...source });
const RAW = 'https://raw.githubusercontent.com/owner/name';
const GITLAB = 'https://gitlab.com/group/team/name';
const COMMIT = 'ab12'.repeat(10);
const repo = 'owner/name';

test.each<[Source, string]>([
  [{ repo, path: 'skills/a' }, `${RAW}/HEAD/skills/a/SKILL.md`],
  [{ repo, path: 'skills/a/', ref: 'v1' }, `${RAW}/v1/skills/a/SKILL.md`],
  [{ repo, path: './skills/a/SKILL.md', ref: 'v1' }, `${RAW}/v1/skills/a/SKILL.md`],
  [{ repo, path: 'SKILL.md' }, `${RAW}/HEAD/SKILL.md`],
  [{ repo, path: '.' }, `${RAW}/HEAD/SKILL.md`],
  [{ repo, path: 'a b/ü?#', ref: 'feature/x' }, `${RAW}/feature/x/a%20b/%C3%BC%3F%23/SKILL.md`],
  [{ repo, path: 'a', url: 'https://github.com/owner/name/tree/main/a' }, `${RAW}/HEAD/a/SKILL.md`],
  [{ repo, path: 'a', url: `${RAW}/main/README.md` }, `${RAW}/HEAD/a/SKILL.md`],
  [{ url: 'https://github.com/owner/name/blob/main/a/SKILL.md' }, `${RAW}/main/a/SKILL.md`],
  [{ url: 'https://www.github.com/owner/name/raw/main/a/SKILL.md?x=1' }, `${RAW}/main/a/SKILL.md`],
  [{ url: `${RAW}/main/a/SKILL.md` }, `${RAW}/main/a/SKILL.md`],
  [{ repo, path: 'a', url: 'https://example.com/a/SKILL.md?v=2' }, 'https://example.com/a/SKILL.md?v=2'],
  [{ repo: 'group/team/name', path: 'a', url: GITLAB }, `${GITLAB}/-/raw/HEAD/a/SKILL.md`],
  [{ repo: 'group/team/name', path: 'a', ref: 'v1', url: `${GITLAB}/-/tree/v1/a` }, `${GITLAB}/-/raw/v1/a/SKILL.md`],
  [{ url: `${GITLAB}/-/blob/main/a/SKILL.md` }, `${GITLAB}/-/raw/main/a/SKILL.md`],
  [{ repo, path: 'a', ref: COMMIT, url: `${RAW}/main/a/SKILL.md` }, `${RAW}/${COMMIT}/a/SKILL.md`],
  [{ repo, path: 'a', ref: 'v1', url: `${RAW}/main/a/SKILL.md` }, `${RAW}/main/a/SKILL.md`],
  [{ repo, path: 'a', ref: COMMIT, url: 'https://example.com/a/SKILL.md' }, 'https://example.com/a/SKILL.md'],
  [
    { repo: 'group/team/name', path: 'a/SKILL.md', ref: COMMIT, url: `${GITLAB}/-/blob/main/a/SKILL.md` },
    `${GITLAB}/-/raw/${COMMIT}/a/SKILL.md`,
  ],
  [
    { repo, path: 'a', url: 'https://gitlab.example.com:8443/owner/name' },
    'https://gitlab.example.com:8443/owner/name/-/raw/HEAD/a/SKILL.md',
  ],
])('the SKILL.md of %j is at %s', (source, url) => {
  expect(locateSkillFile(sourceOf(source))).toBe(url);
});

test.each<[Source]>([
  [{}],
  [{ repo }],
  [{ path: 'a' }],
  [{ repo: 'https://example.com/owner/name', path: 'a' }],
  [{ repo: 'owner/name/more', path: 'a' }],
  [{ repo: '../name', path: 'a' }],
  [{ repo: 'owner/..', path: 'a' }],
  [{ repo: 'group/../name', path: 'a', url: GITLAB }],
  [{ repo, path: 'a', ref: '../..' }],
  [{ url: 'https://example.com/a' }],
  [{ url: 'https://github.com/owner/name' }],
  [{ url: 'https://github.com/owner/name/tree/main/SKILL.md' }],
  // The repository is of that host, not of GitHub.
  [{ repo, path: 'a', url: 'https://codeberg.org/owner/name' }],
])('the place of the SKILL.md of %j is not known', (source) => {
  expect(locateSkillFile(sourceOf(source))).toBeUndefined();
});

test('the SKILL.md of a record without a path is looked for in the folder of its name', () => {
  const guess = (name: string, source: Source) => guessSkillFile({ name, source: sourceOf(source) });
  expect(guess('pdf', { repo })).toBe(`${RAW}/HEAD/skills/pdf/SKILL.md`);
  expect(guess('pdf', { repo, ref: 'v1', url: 'https://github.com/owner/name' })).toBe(`${RAW}/v1/skills/pdf/SKILL.md`);
  expect(guess('pdf', { repo, path: 'a' })).toBeUndefined();
  expect(guess('PDF tools', { repo })).toBeUndefined();
  expect(guess('..', { repo })).toBeUndefined();
  expect(guess('pdf', {})).toBeUndefined();
});

test('a repository is on GitHub unless its address is elsewhere', () => {
  expect(isOnGitHub(sourceOf({ repo }))).toBe(true);
  expect(isOnGitHub(sourceOf({ repo, url: 'https://github.com/owner/name/tree/main' }))).toBe(true);
  expect(isOnGitHub(sourceOf({ repo, url: `${RAW}/main/a/SKILL.md` }))).toBe(true);
  expect(isOnGitHub(sourceOf({ repo, url: GITLAB }))).toBe(false);
  expect(isOnGitHub(sourceOf({ url: 'https://github.com/owner/name' }))).toBe(false);
});

test('the page of a skill is its address, else its folder on GitHub', () => {
  const pageOf = (source: Source) => locateSkillPage(sourceOf(source));
  expect(pageOf({ repo, url: GITLAB })).toBe(GITLAB);
  expect(pageOf({ repo, path: './skills/a b/', ref: 'v1' })).toBe('https://github.com/owner/name/tree/v1/skills/a%20b');
  expect(pageOf({ repo, path: 'a', url: `${RAW}/main/a/SKILL.md` })).toBe('https://github.com/owner/name/tree/HEAD/a');
  expect(pageOf({ url: `${RAW}/main/a/SKILL.md` })).toBe(`${RAW}/main/a/SKILL.md`);
  expect(pageOf({ repo, path: '.' })).toBe('https://github.com/owner/name');
  expect(pageOf({ repo, path: 'a', ref: '../..' })).toBeUndefined();
  expect(pageOf({ repo: 'not a repository' })).toBeUndefined();
});
