import { fileURLToPath } from 'node:url';
import { skillFile } from '@agent-fleet/scripts/testing/skill-repository';
import { expect, test } from '@jest/globals';
import { checkSkillFile } from '../src/content/front-matter.ts';
import { readSkillContent } from '../src/content/skill-content.ts';
import { findSkills, loadSkill } from '../src/content/skill-tree.ts';
import { openLocalFolder } from '../src/sources/local-folder.ts';

test('every skill that ships is named like its folder, has one file of 40 to 120 lines, and no fault', async () => {
  const tree = openLocalFolder(fileURLToPath(new URL('../../../services/registry/skills', import.meta.url)));
  try {
    const found = await findSkills(tree, '');
    expect(found).toHaveLength(40);
    for (const { folder, name } of found) {
      const { files, warnings } = await loadSkill(tree, folder);
      expect([name, warnings, files.map(({ path }) => path)]).toEqual([folder, [], ['SKILL.md']]);
      const [{ bytes }] = files as [(typeof files)[number]];
      const { frontMatter, issues } = checkSkillFile(bytes, folder);
      expect(issues).toEqual([]);
      expect(frontMatter).toMatchObject({ license: 'MIT', description: expect.stringMatching(/^[A-Z].+\. Use .+\.$/) });
      const lines = bytes.toString().split('\n').length;
      expect(lines > 40 && lines < 120).toBe(true);
    }
  } finally {
    tree.close();
  }
});

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
