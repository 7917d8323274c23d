import { expect, test } from '@jest/globals';
import { draftOf } from '../../test/support/draft-of.ts';
import { Report } from '../skills/report.ts';
import { type DraftSkill, normaliseRecord } from './normalise.ts';

const skillOf = (record: object): DraftSkill => draftOf({ name: 'x', ...record }).skill;

test.each([
  ['mcp', 'mcp_server'],
  ['MCP Server', 'mcp_server'],
  ['mcp-servers', 'mcp_server'],
  ['subagent', 'agent'],
  ['sub-agent', 'agent'],
  ['Agents', 'agent'],
  ['hook', 'hook'],
  ['settings', 'setting'],
  ['slash-command', 'command'],
  ['plugin', 'plugin'],
  ['agent-skill', 'skill'],
  ['collection', 'skill'],
  ['registry:ui', 'skill'],
  ['', 'skill'],
  [7, 'skill'],
])('a record of the type %j is of the kind %s', (type, kind) => {
  for (const name of ['type', 'kind', 'resource_type', 'componentType']) {
    expect(skillOf({ [name]: type }).kind).toBe(kind);
  }
});

test('the own kind of a record goes before that of its list, and is kept in extra unless it is served as written', () => {
  const of = (value: object) =>
    normaliseRecord({ index: 0, value, context: { kind: 'agent' } }, new Report())?.skill ?? {};
  expect(of({ name: 'x' })).toMatchObject({ kind: 'agent', extra: {} });
  expect(of({ name: 'x', type: 'plugin' })).toMatchObject({ kind: 'plugin', extra: {} });
  expect(of({ name: 'x', type: 'mcp-server' })).toMatchObject({ kind: 'mcp_server', extra: { type: 'mcp-server' } });
  expect(of({ name: 'x', source: { type: 'plugin', repo: 'a/b' } })).toMatchObject({ kind: 'agent' });
});

test.each<[object, string[], boolean]>([
  [{ category: 'a' }, ['a'], false],
  [{ categories: ['a', 'b'] }, ['a', 'b'], false],
  [{ category: ['a', 'b'] }, ['a', 'b'], false],
  [{ category: 'b', categories: ['a', 'b'] }, ['b', 'a'], false],
  [{ categories: [{ id: '1', name: 'a' }, 'A', 'b'] }, ['a', 'b'], true],
  [{ metadata: { categories: ['a', 'b'] } }, ['a', 'b'], false],
  [{ categories: [] }, [], true],
  [{ categories: [null, '--', 'a'] }, ['a'], true],
  [
    { categories: Array.from({ length: 20 }, (_, at) => `c${at}`) },
    Array.from({ length: 16 }, (_, at) => `c${at}`),
    true,
  ],
])('the categories of %j are %j, kept in extra where one is left out: %s', (record, categories, isKept) => {
  const skill = skillOf(record);
  expect(skill).toMatchObject({ category: categories[0] ?? null, categories });
  expect(Object.keys(skill.extra).length > 0).toBe(isKept);
});

test.each<[object, string, string]>([
  [{ id: 'a/the-x', title: 'The X' }, 'the-x', 'The X'],
  [{ key: 'the-x', title: 'The X' }, 'the-x', 'The X'],
  [{ id: 17, title: 'The X' }, 'The X', 'The X'],
  [{ id: '3f2504e0-4f89-11d3-9a0c-0305e82c3301', title: 'The X' }, 'The X', 'The X'],
  [{ id: 'b', name: 'x', title: 'The X' }, 'x', 'The X'],
  [{ skillId: 'b', label: 'The X' }, 'b', 'The X'],
  [{ name: 'x', display_name: 'The X' }, 'x', 'The X'],
  [{ name: 'x', displayName: 'The X' }, 'x', 'The X'],
  [{ name: 'x', metadata: { display_name: 'The X' } }, 'x', 'The X'],
  [{ name: 'x' }, 'x', 'x'],
  [{ title: 'The X' }, 'The X', 'The X'],
  [{ slug: 'the-x', name: 'The X' }, 'the-x', 'The X'],
  [{ slug: 'The_X', name: 'The X' }, 'The X', 'The X'],
  [{ slug: 'owner-the-x', name: 'the-x' }, 'the-x', 'the-x'],
  [{ slug: 'the-x', name: 'the_x' }, 'the_x', 'the_x'],
])('the name of %j is %s, and the display name is %s', (record, name, display_name) => {
  expect(draftOf(record).skill).toMatchObject({ name, display_name, extra: {} });
});

const time = '2026-01-02T03:04:05.000Z';

test.each<[object, object]>([
  ...['last_updated_at', 'lastUpdatedAt', 'pushed_at', 'pushedAt', 'lastModified', 'updatedAt'].map(
    (name): [object, object] => [{ [name]: time }, { updated_at: time }],
  ),
  [{ isFeatured: true }, { featured: true }],
  [{ is_featured: true }, { featured: true }],
  [{ stats: { stars: 3, downloads: 4 } }, { stars: 3, downloads: 4 }],
  [{ stats: { installs: 4 } }, { downloads: 4 }],
  [{ metadata: { stats: { stars: 3 } } }, { stars: 3 }],
  [
    { stars: 1, stats: { stars: 3 } },
    { stars: 1, extra: { stats: { stars: 3 } } },
  ],
  [
    { repoStars: 3, installCount: 4 },
    { stars: 3, downloads: 4 },
  ],
  [{ latestVersion: '1.0.0' }, { version: '1.0.0' }],
  [{ publisher: 'Ann' }, { author: 'Ann' }],
  [{ installUrl: 'github:a/b:p' }, { install: 'github:a/b:p' }],
])('the fields of %j are read', (record, expected) => {
  expect(skillOf(record)).toMatchObject({ extra: {}, ...expected });
});

test.each([
  ['>   Reads a page.', 'Reads a page.'],
  ['|-  Reads a page.', 'Reads a page.'],
  ['>2-\n  Reads a page.', 'Reads a page.'],
  ['|+ Reads a page.', 'Reads a page.'],
  ['>-', ''],
  ['> 90 % of pages are read.', '> 90 % of pages are read.'],
  ['|x| is read', '|x| is read'],
  ['>-x', '>-x'],
])('of the description %j only %j is text', (description, text) => {
  expect(skillOf({ description }).description).toBe(text);
});

test('notes describe a skill that has no other description', () => {
  expect(skillOf({ notes: 'Reads a page.' })).toMatchObject({ description: 'Reads a page.', extra: {} });
  expect(skillOf({ notes: 'Beta.', summary: 'Text.' })).toMatchObject({
    description: 'Text.',
    extra: { notes: 'Beta.' },
  });
});

test('nested counts are served, and what remains beside them is kept in extra', () => {
  expect(skillOf({ stats: { stars: 3, comments: 2 } })).toMatchObject({ stars: 3, extra: { stats: { comments: 2 } } });
});

test.each<[string, object]>([
  ['row', { row_idx: 3 }],
  ['server', { _meta: { status: 'active' } }],
  ['_source', { _id: 'a' }],
  ['attributes', { links: [] }],
])('a record is read within %s, and the other members are kept in extra', (wrapper, others) => {
  const { skill } = draftOf({ ...others, [wrapper]: { name: 'x', description: 'Text.' } });
  expect(skill).toMatchObject({ name: 'x', description: 'Text.', extra: others });
});

test('a record that has a name itself is not unwrapped', () => {
  expect(skillOf({ server: { name: 'y' } })).toMatchObject({ name: 'x', extra: { server: { name: 'y' } } });
});

const digest = `sha256:${'0a'.repeat(32)}`;

test.each([
  ['archive', 'folder'],
  ['skill-md', 'skill_md'],
])('the digest of an entry of the type %s is that of the %s', (type, digest_of) => {
  const url = 'https://example.com/x';
  expect(skillOf({ type, url, digest })).toMatchObject({ kind: 'skill', digest, digest_of, source: { url } });
});

test('a skill depends on nothing but its record, key and context, which is plain JSON', () => {
  const context = { kind: 'plugin', address: 'https://github.com/a/b/raw/main/m.json', owner: 'Ann' } as const;
  const value = { source: './x', description: 'Text.' };
  const once = normaliseRecord({ index: 0, key: 'x', value, context }, new Report());
  const again = { index: 9, key: 'x', value: structuredClone(value), context: JSON.parse(JSON.stringify(context)) };
  expect(normaliseRecord(again, new Report())).toEqual(once);
});
