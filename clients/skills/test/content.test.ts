import { skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { readSkillContent } from '../src/content/skill-content.ts';

test.each([
  ['../../evil', /leads out/],
  ['a/../../evil', /leads out/],
  ['/etc/evil', /absolute path/],
  ['a//b', /not a plain path/],
  ['./a', /not a plain path/],
  ['.git/config', /inside a folder of Git/],
  ['a/git~1/config', /inside a folder of Git/],
  ['.git ./config', /inside a folder of Git/],
  ['.git::$INDEX_ALLOCATION/config', /inside a folder of Git/],
  ['a\u202eb', /characters that a path/],
  ['x'.repeat(300), /too long/],
  [`${'d/'.repeat(600)}f`, /too long/],
])('refuses the path %.20j that a source may list', async (path, message) => {
  const listed = ['SKILL.md', path].map((one) => ({ path: one, type: 'file' as const, executable: false }));
  const read = async (paths: readonly string[]) => new Map(paths.map((one) => [one, Buffer.from(skillFile('x'))]));
  await expect(readSkillContent(listed, read)).rejects.toThrow(message);
});
