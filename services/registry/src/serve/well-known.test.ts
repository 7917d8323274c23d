import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { servedOf } from '../../test/support/served.ts';
import type { Skill } from '../skills/skill.ts';
import { SKILL_EXAMPLE } from './lists/skill.ts';
import { toWellKnownEntry } from './well-known.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const record = { name: 'review', description: 'Reviews code', repo: 'owner/tools', path: 'skills/review' };

async function indexOf(records: object[]) {
  const { wellKnown } = servedOf(records).bodies;
  const index = JSON.parse(brotliDecompressSync((await wellKnown.whole('br'))?.body ?? '').toString());
  return { index, etag: await wellKnown.digest() };
}

test('the well-known index has the skills with a digest of their SKILL.md', async () => {
  const { index } = await indexOf([
    { ...record, digest },
    { ...record, name: 'other' },
  ]);
  expect(index).toMatchObject({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [{ name: 'review', digest }],
  });
});

test('the well-known index has no skill with a digest of any content, next to a text that looks like one', async () => {
  const skill = { ...record, contentHash: digest, x: { digest_of: 'skill_md' } };
  expect((await indexOf([skill])).index.skills).toEqual([]);
});

test('the entity tag of the well-known index changes with the skills in it only', async () => {
  const tagOf = async (stars: number, otherStars: number) =>
    (
      await indexOf([
        { ...record, digest, stars },
        { ...record, name: 'other', stars: otherStars },
      ])
    ).etag;
  expect(await tagOf(1, 2)).toBe(await tagOf(1, 1));
  expect(await tagOf(2, 1)).not.toBe(await tagOf(1, 1));
});

const skill: Skill = { ...SKILL_EXAMPLE, digest, digest_of: 'skill_md' };
test('an entry of the well-known index has the digest and the URL of a SKILL.md', () => {
  expect(toWellKnownEntry(skill, new Map())).toEqual({
    name: skill.name,
    type: 'skill-md',
    description: skill.description,
    url: 'https://raw.githubusercontent.com/agent-fleet/skills/main/skills/review-pull-request/SKILL.md',
    digest,
  });
});

test('the well-known index has no entry for a skill that is not valid, or without a digest or place of its SKILL.md', () => {
  expect(toWellKnownEntry({ ...skill, valid: false }, new Map())).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, digest: null }, new Map())).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, digest_of: 'folder' }, new Map())).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, kind: 'plugin' }, new Map())).toBeUndefined();
  expect(toWellKnownEntry({ ...skill, source: { ...skill.source, repo: null } }, new Map())).toBeUndefined();
});
