import { expect, test } from '@jest/globals';
import { draftOf } from '../../../test/support/draft-of.ts';
import type { Skill } from '../../skills/skill.ts';
import { SKILL_EXAMPLE } from '../lists/skill-contract.ts';
import { toWellKnownEntry } from './entry.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const skill: Skill = { ...SKILL_EXAMPLE, digest, digest_of: 'skill_md' };
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
])('a skill on GitLab is listed under its address there: %j', (record) => {
  expect(entryOf(record)?.url).toBe(`${at}/-/raw/HEAD/skills/x/SKILL.md`);
  expect(entryOf({ repo: 'a/b', path })?.url).toBe('https://raw.githubusercontent.com/a/b/HEAD/skills/x/SKILL.md');
});

test('a skill of a host without known addresses of files is not listed', () => {
  expect(entryOf({ repository: 'ssh://git@git.example.com:22/a/b', path })).toBeUndefined();
});

test('a skill outside GitHub is listed if upstream has the URL of its SKILL.md', () => {
  const url = `${at}/-/raw/main/skills/x/SKILL.md`;
  expect(entryOf({ repository: at, url })?.url).toBe(url);
});
