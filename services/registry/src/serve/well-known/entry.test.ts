import { expect, test } from '@jest/globals';
import { draftOf } from '../../../test/support/draft-of.ts';
import type { Skill } from '../../skills/skill.ts';
import { SKILL_EXAMPLE } from '../lists/skill-contract.ts';
import { toWellKnownEntry } from './entry.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const skill: Skill = { ...SKILL_EXAMPLE, digest, digest_of: 'skill_md' };
const RAW = 'https://raw.githubusercontent.com/owner/name';

type Source = Partial<typeof skill.source>;

const urlOf = (source: Source) =>
  toWellKnownEntry({ ...skill, source: { repo: null, path: null, ref: null, url: null, ...source } })?.url;

test('an entry of the well-known index has the digest and the URL of a SKILL.md', () => {
  expect(toWellKnownEntry(skill)).toEqual({
    name: skill.name,
    type: 'skill-md',
    description: skill.description,
    url: 'https://raw.githubusercontent.com/agent-fleet/skills/main/skills/review-pull-request/SKILL.md',
    digest,
  });
});

test('the well-known index has no entry for a skill that is not valid or has no digest of its SKILL.md', () => {
  expect(toWellKnownEntry({ ...skill, valid: false })).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, digest: null })).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, digest_of: 'folder' })).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, kind: 'plugin' })).toBeUndefined();
});

const path = 'skills/x';
const at = 'https://gitlab.com/a/b';

const entryOf = (record: object) => {
  const { skill } = draftOf({ name: 'x', description: 'Text.', digest, ...record });
  return toWellKnownEntry({ id: 'x', registries: [], ...skill });
};

test.each([
  [{ source: 'git@gitlab.com:a/b.git', path }],
  [{ source: { type: 'gitlab', repo: 'a/b', path } }],
  [{ repository: at, path, homepage: 'https://github.com/x/y' }],
  [{ repository: at, path, homepage: 'https://github.com/x/y/blob/main/SKILL.md' }],
  [{ repository: at, path, homepage: 'https://raw.githubusercontent.com/x/y/main/SKILL.md' }],
  [{ repo: 'a/b', repository: { url: 'git+https://gitlab.com/a/b.git' }, path }],
  [{ repo: 'a/b', url: at, path }],
  [{ repository: 'ssh://git@git.example.com:22/a/b', path }],
])('a skill of another host than GitHub is not listed under an address of GitHub: %j', (record) => {
  expect(entryOf(record)).toBeUndefined();
  expect(entryOf({ repo: 'a/b', path })?.url).toBe('https://raw.githubusercontent.com/a/b/HEAD/skills/x/SKILL.md');
});

test('a skill outside GitHub is listed if upstream has the URL of its SKILL.md', () => {
  const url = `${at}/-/raw/main/skills/x/SKILL.md`;
  expect(entryOf({ repository: at, url })?.url).toBe(url);
});

const repo = 'owner/name';

test.each<[Source, string]>([
  [{ repo, path: 'skills/a' }, `${RAW}/HEAD/skills/a/SKILL.md`],
  [{ repo, path: 'skills/a/', ref: 'v1' }, `${RAW}/v1/skills/a/SKILL.md`],
  [{ repo, path: './skills/a/SKILL.md', ref: 'v1' }, `${RAW}/v1/skills/a/SKILL.md`],
  [{ repo, path: 'SKILL.md' }, `${RAW}/HEAD/SKILL.md`],
  [{ repo, path: '.' }, `${RAW}/HEAD/SKILL.md`],
  [{ repo, path: 'a b/ü?#', ref: 'feature/x' }, `${RAW}/feature/x/a%20b/%C3%BC%3F%23/SKILL.md`],
  [{ repo, path: 'a', url: 'https://github.com/owner/name/tree/main/a' }, `${RAW}/HEAD/a/SKILL.md`],
  [{ url: 'https://github.com/owner/name/blob/main/a/SKILL.md' }, `${RAW}/main/a/SKILL.md`],
  [{ url: 'https://www.github.com/owner/name/raw/main/a/SKILL.md?x=1' }, `${RAW}/main/a/SKILL.md`],
  [{ url: `${RAW}/main/a/SKILL.md` }, `${RAW}/main/a/SKILL.md`],
  [{ repo, path: 'a', url: 'https://example.com/a/SKILL.md?v=2' }, 'https://example.com/a/SKILL.md?v=2'],
])('the SKILL.md of %j is at %s', (source, url) => {
  expect(urlOf(source)).toBe(url);
});

test.each<[Source]>([
  [{}],
  [{ repo }],
  [{ path: 'a' }],
  [{ repo: 'https://example.com/owner/name', path: 'a' }],
  [{ repo: 'owner/name/more', path: 'a' }],
  [{ repo: '../name', path: 'a' }],
  [{ repo: 'owner/..', path: 'a' }],
  [{ repo, path: 'a', ref: '../..' }],
  [{ url: 'https://example.com/a' }],
  [{ url: 'https://github.com/owner/name' }],
  // The repository is of that host, not of GitHub.
  [{ repo, path: 'a', url: 'https://gitlab.com/owner/name/-/tree/main/a' }],
])('the URL of the SKILL.md of %j is not known', (source) => {
  expect(urlOf(source)).toBeUndefined();
});
