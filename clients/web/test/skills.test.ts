import { FleetError } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import { catalogueRequests, hrefWith, listQuery, skillRequests, sortOf } from '../src/skills/search/list-query.ts';
import { installCommands, isPlain, ownCommand } from '../src/skills/skill/install-commands.ts';
import type { Skill } from '../src/skills/skill/records.ts';
import { checksOf } from '../src/skills/skill/skill-checks.ts';
import { explainMissing, filePage, hostOfFile, skillPage } from '../src/skills/skill/source-links.ts';
import { short } from '../src/text/pieces.ts';

const ORIGIN = 'https://fleet.example.com';
const NOWHERE = { repo: null, path: null, ref: null, url: null };
const ON_GITHUB = { ...NOWHERE, repo: 'example/skills', path: 'skills/release-notes', ref: 'v2' };

const skillOf = (fields: Partial<Skill>): Skill => ({
  id: 'example~skills~release-notes',
  name: 'release-notes',
  display_name: 'release-notes',
  description: 'Writes release notes.',
  kind: 'skill',
  category: null,
  categories: [],
  tags: [],
  author: null,
  source: ON_GITHUB,
  license: null,
  version: null,
  compatibility: null,
  stars: null,
  downloads: null,
  featured: false,
  updated_at: null,
  digest: null,
  digest_of: null,
  install: null,
  valid: true,
  issues: [],
  registries: [],
  extra: {},
  ...fields,
});

const commandsOf = (fields: Partial<Skill>) => installCommands(skillOf(fields), ORIGIN).map(({ command }) => command);

test('asks for the best matches of words, else for what is trending', () => {
  expect(sortOf(new URLSearchParams('q=review'))).toBe('relevance');
  expect(sortOf(new URLSearchParams('q=%20'))).toBe('trending');
  expect(sortOf(new URLSearchParams('sort=relevance'))).toBe('trending');
  expect(sortOf(new URLSearchParams('q=review&sort=stars'))).toBe('stars');
  expect(sortOf(new URLSearchParams('sort=nonsense'))).toBe('trending');
});

test('asks for what the address says, and leaves out what is empty', () => {
  const query = listQuery(new URLSearchParams('q=+code+review+&tag=git&author=&page=3'));
  expect(query).toMatchObject({ q: 'code review', tag: 'git', cursor: '' });
  expect(query).not.toHaveProperty('author');
  expect(query).not.toHaveProperty('page');
  expect(listQuery(new URLSearchParams({ q: 'x'.repeat(1_000) })).q).toHaveLength(256);
});

test('requests the list or the skill before the script has arrived', () => {
  expect(catalogueRequests(new URLSearchParams('tag=git'))[0]).toContain('/api/catalogue?cursor=&');
  expect(skillRequests('a~b')).toEqual(['/api/skills/a~b', '/api/skills/a~b/skill.md']);
  expect(skillRequests('')).toEqual([]);
});

test('links to the catalogue with a filter more or less', () => {
  const address = new URLSearchParams('q=review&tag=git');
  expect(hrefWith(address, { author: 'a b' })).toBe('/?q=review&tag=git&author=a+b');
  expect(hrefWith(address, { tag: undefined })).toBe('/?q=review');
  expect(hrefWith(address, { q: undefined, tag: undefined })).toBe('/');
});

test('shortens a text to one line without invisible characters', () => {
  expect(short('a\nb\u202ec', 80)).toBe('a b⟨U+202E⟩c');
  expect(short('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(10)}…`);
});

test('has a command for each tool that can add a skill of a repository on GitHub', () => {
  expect(commandsOf({})).toEqual([
    `fleet skills add example~skills~release-notes --url ${ORIGIN}`,
    'npx skills add example/skills#v2 --skill release-notes',
    'gh skill install example/skills release-notes@v2',
  ]);
  const [atDefault] = installCommands(skillOf({}), 'http://localhost:8080');
  expect(atDefault?.command).toBe('fleet skills add example~skills~release-notes');
});

test('adds a skill from elsewhere through this registry, and a plugin not at all', () => {
  const url = 'https://skills.example.com/SKILL.md';
  expect(commandsOf({ source: { ...NOWHERE, url } })).toEqual([
    `fleet skills add example~skills~release-notes --url ${ORIGIN}`,
    `npx skills add ${ORIGIN}/api/skills/example~skills~release-notes`,
  ]);
  expect(commandsOf({ source: NOWHERE, digest_of: 'skill_md' })[1]).toBe(
    `npx skills add ${ORIGIN}/api/skills/example~skills~release-notes`,
  );
  expect(commandsOf({ source: NOWHERE })).toHaveLength(1);
  expect(commandsOf({ kind: 'plugin' })).toEqual(['gh repo clone example/skills']);
  expect(commandsOf({ kind: 'plugin', source: NOWHERE })).toEqual([]);
});

test.each([
  ['npx skills add example/skills', true],
  ['npx -y skills add https://github.com/example/skills --skill notes', true],
  ['npx skills add example/skills#v2 --skill notes', true],
  ['npx skills add https://github.com/example/skills.git#feature/x --skill notes', true],
  ['npx skills add example/skills#v2@other --all', false],
  ['npx skills add evil/skills --all -y', false],
  ['npx skills add example/skills evil/skills', false],
  ['npx skills add https://evil.example/example/skills', false],
  ['npx skills add example/skills --all -y', false],
])('takes the command %j of a registry for its own: %p', (install, isTaken) => {
  const skill = skillOf({ install });
  const commands = installCommands(skill, ORIGIN);
  expect(commands.map(({ command }) => command).includes(install)).toBe(isTaken);
  expect(ownCommand(skill, commands)).toBe(isTaken ? undefined : install);
});

test('takes the command of a registry for a repository that is not on GitHub', () => {
  const source = { ...ON_GITHUB, repo: 'group/team/skills', url: 'https://gitlab.com/group/team/skills' };
  const install = 'npx skills add https://gitlab.com/group/team/skills.git --skill release-notes';
  expect(commandsOf({ source, install })).toContain(install);
  expect(commandsOf({ source, install: 'npx skills add group/team/skills' })).not.toContain(
    'npx skills add group/team/skills',
  );
});

test.each(['$(rm -rf ~)', 'a;b', '-rf', 'a b', "it's", 'a`b`', 'a\nb', 'a|b', 'näme'])(
  'puts the name %j into no command',
  (name) => {
    const commands = commandsOf({ name, id: name });
    expect(commands).toEqual(['gh repo clone example/skills']);
  },
);

test('shows the command of a registry apart, unless it is one of the others or no command', () => {
  const install = 'curl https://example.com/install | sh';
  expect(ownCommand(skillOf({ install }), [])).toBe(install);
  expect(ownCommand(skillOf({ install: 'example/skills' }), [])).toBeUndefined();
  const known = skillOf({ install: 'npx skills add example/skills --skill release-notes' });
  expect(ownCommand(known, installCommands(known, ORIGIN))).toBeUndefined();
  expect([install, 'a\nb', 'a \u202eb'].map(isPlain)).toEqual([true, false, false]);
});

test('says what is wrong with a skill, and what is good', () => {
  const textsOf = (skill: Skill, ...file: Parameters<typeof checksOf> extends [Skill, infer F] ? [F] : never) =>
    checksOf(skill, ...file).map(({ tone, text }) => `${tone}: ${text}`);
  const faulty = skillOf({ valid: false, issues: ['name_characters', 'description_missing'] });
  expect(textsOf(faulty, undefined).join('\n')).toMatch(
    /warn: Its name has[\s\S]*warn: It has no description[\s\S]*no licence/,
  );
  const declared = skillOf({ license: 'MIT', digest: 'sha256:00', digest_of: 'skill_md' });
  const file = { text: '', digest: '00', declaredDigest: undefined };
  expect(textsOf(declared, file)).toEqual([
    'ok: Follows the Agent Skills specification.',
    'ok: Names a licence.',
    'ok: The SKILL.md has the digest that its registry declares.',
  ]);
  expect(textsOf(declared, { ...file, declaredDigest: 'sha256:00' })).toContainEqual(expect.stringMatching(/^error: /));
});

test('links to where a skill lives, and nowhere else than by http', () => {
  expect(skillPage(ON_GITHUB)).toBe('https://github.com/example/skills/tree/v2/skills/release-notes');
  expect(filePage({ ...ON_GITHUB, path: null })).toBe('https://github.com/example/skills/blob/v2/SKILL.md');
  expect(filePage({ ...ON_GITHUB, path: '../../x/SKILL.md' })).toBe(
    'https://github.com/example/skills/blob/v2/x/SKILL.md',
  );
  expect(skillPage({ ...NOWHERE, url: 'javascript:alert(1)' })).toBeUndefined();
  expect(skillPage({ ...NOWHERE, url: 'https://example.com/x' })).toBe('https://example.com/x');
  expect(hostOfFile(ON_GITHUB)).toBe('raw.githubusercontent.com');
});

test.each([
  [404, 'There is no such file at example.com'],
  [502, 'It could not be fetched from example.com'],
  [504, 'did not respond within 10 s'],
  [503, 'too many files'],
])('explains status %i of a SKILL.md', (status, text) => {
  expect(explainMissing(new FleetError('failed', { status }), 'example.com')).toContain(text);
});
