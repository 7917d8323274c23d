import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { servedOf } from '../../../test/support/served.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const record = { name: 'review', description: 'Reviews code', repo: 'owner/tools', path: 'skills/review' };

async function indexOf(records: object[]) {
  const { wellKnown } = servedOf(records).bodies;
  const index = JSON.parse(brotliDecompressSync((await wellKnown.get('br')) as Buffer).toString());
  return { index, etag: await wellKnown.etagFor('br') };
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

test.each([
  ['any content', { contentHash: digest }],
  ['several files', { digest, files: ['SKILL.md', 'run.sh'] }],
  ['any content, next to a text that looks like a digest', { contentHash: digest, x: { digest_of: 'skill_md' } }],
])('the well-known index has no skill whose digest is of %s', async (_what, fields) => {
  expect((await indexOf([{ ...record, ...fields }])).index.skills).toEqual([]);
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
