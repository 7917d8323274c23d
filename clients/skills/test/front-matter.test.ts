import { expect, test } from '@jest/globals';
import { checkSkillFile, requireFrontMatter } from '../src/content/front-matter.ts';

const file = (...lines: string[]) => Buffer.from(['---', ...lines, '---', '# Body', ''].join('\n'));
const described = (...lines: string[]) => checkSkillFile(file('name: pages', ...lines), 'a/SKILL.md');

test.each([
  ['Reads pages: all of them. Use when: asked', 'Reads pages: all of them. Use when: asked'],
  ['`read: page` is what it does', '`read: page` is what it does'],
  ['"Read" and: write', '"Read" and: write'],
  ['[BETA] Reads: "pages" \\\\d', '[BETA] Reads: "pages" \\\\d'],
  ['@pages reads # all', '@pages reads # all'],
  ['*.md: reads these', '*.md: reads these'],
  ['Reads pages # a comment', 'Reads pages'],
  ['"Reads: pages"', 'Reads: pages'],
])('reads the description %s as Claude Code does', (written, description) => {
  const read = described(`description: ${written}`, 'license: MIT', 'metadata:', '  a: b');
  expect(read).toEqual({ issues: [], frontMatter: { name: 'pages', description, license: 'MIT' } });
  const windows = Buffer.from(file('name: pages', `description: ${written}`).toString().replaceAll('\n', '\r\n'));
  expect(checkSkillFile(windows, 'a/SKILL.md').frontMatter?.description).toBe(description);
});

test('reads block scalars and quoted texts beside a value that is no YAML', () => {
  const read = described('description: >-', '  Reads:', '  pages', 'license: "a', '  b"', 'argument-hint: [a]: b');
  expect(read.frontMatter).toEqual({ name: 'pages', description: 'Reads: pages', license: 'a b' });
});

test.each([
  [file('name: pages', 'description: Reads', '  pages: all'), /^a\/SKILL\.md:3: .*YAML/],
  [file('name: pages', '\tdescription: x'), /^a\/SKILL\.md:3: .*YAML/],
  [file('name: pages'), /^a\/SKILL\.md:1: it has no description$/],
  [file('name: pages', 'description:'), /^a\/SKILL\.md:3: it has no description$/],
  [file('description: x', 'name: 7'), /^a\/SKILL\.md:3: its name is no text$/],
  [file('- name'), /^a\/SKILL\.md:2: its front matter has no names with values$/],
  [Buffer.from('# Pages\n'), /^a\/SKILL\.md:1: it has no front matter: its first line is not ---$/],
  [Buffer.from('---\nname: a\n'), /^a\/SKILL\.md:1: its front matter has no end: no other line is ---$/],
  [Buffer.from('\ufeff---\nname: a', 'utf16le'), /^a\/SKILL\.md:1: it is not UTF-8$/],
])('says where and why a SKILL.md cannot be read (case %#)', (bytes, message) => {
  const { issues, frontMatter } = checkSkillFile(bytes, 'a/SKILL.md');
  expect([frontMatter, issues[0]]).toEqual([undefined, expect.stringMatching(message)]);
  expect(() => requireFrontMatter(bytes, 'a/SKILL.md')).toThrow(issues.join('; '));
});

test('says where a name is against the specification', () => {
  expect(() => requireFrontMatter(file('description: x', 'name: Two Words'), 'a/SKILL.md')).toThrow(
    'a/SKILL.md:3: its name "Two Words" is against the specification: at most 64 letters',
  );
});

test.each<[string, Buffer, string[]]>([
  [
    'a long description',
    file('name: a', 'license: MIT', `description: ${'😀'.repeat(1_025)}`),
    ['4: its description has 1,025 characters, more than 1,024'],
  ],
  ['a description of 1,024 characters', file('name: a', `description: ${'😀'.repeat(1_024)}`), []],
  ['NUL', file('name: a', 'description: x', '---', '', 'a\0b', '\0'), ['6: it has a NUL character']],
  ['Latin-1', Buffer.from('---\nname: a\ndescription: na\u00efve\n---\n', 'latin1'), ['3: it is not UTF-8']],
  ['UTF-8 and a byte order mark', Buffer.from('\ufeff---\nname: a\ndescription: na\u00efve\n---\n'), []],
])('a skill with %s is read, and has its issues with their lines', (_what, bytes, issues) => {
  const read = checkSkillFile(bytes, 'a/SKILL.md');
  expect(read).toMatchObject({ frontMatter: { name: 'a' }, issues: issues.map((issue) => `a/SKILL.md:${issue}`) });
});
