import { describe, expect, it } from '@jest/globals';
import type { Skill } from './contract.ts';
import { createSkillIndex, type SkillIndex } from './skill-index.ts';

function read(document: unknown): SkillIndex {
  const index = createSkillIndex(document);
  if (index === undefined) throw new Error('no known shape');
  return index;
}

/** The skills as served, in the order of their names. */
function skillsOf(document: unknown): Skill[] {
  return read(document).skills.map(({ json }) => JSON.parse(json));
}

function only(record: unknown): Skill {
  const [skill] = skillsOf([record]);
  if (skill === undefined) throw new Error('rejected');
  return skill;
}

const warningsOf = (document: unknown) =>
  Object.fromEntries(
    read(document)
      .report.warnings()
      .map(({ code, count }) => [code, count]),
  );

describe('shapes of a registry file', () => {
  const record = { name: 'one', description: 'A skill.' };

  it.each([
    ['a root array', [record]],
    ['skills as an array', { skills: [record] }],
    ['items as an array', { items: [record] }],
    ['skills keyed by slug', { skills: { one: record } }],
    ['items keyed by slug', { items: { one: record } }],
    ['a root object keyed by slug', { one: record }],
  ])('%s', (_shape, document) => {
    expect(skillsOf(document)).toMatchObject([{ id: 'one', name: 'one', description: 'A skill.' }]);
  });

  it.each([[null], ['text'], [7], [{}], [{ message: 'Not Found' }], [{ error: { name: 'E' }, code: 404, at: 1 }]])(
    '%j is none',
    (document) => expect(createSkillIndex(document)).toBeUndefined(),
  );
});

describe('a record', () => {
  it('is read under the names that registries use, at the top or under metadata', () => {
    const skill = only({
      slug: 'a',
      title: 'A',
      summary: 'Text.',
      metadata: { author: { name: 'Ann', email: 'ann@example.com' }, license: 'MIT', keywords: 'x, y', category: 'c' },
      repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
      stargazers_count: '1200',
      lastUpdated: '2026-01-02',
    });
    expect(skill).toMatchObject({
      id: 'a',
      name: 'A',
      description: 'Text.',
      category: 'c',
      tags: ['x', 'y'],
      author: 'Ann',
      license: 'MIT',
      source: { repo: 'owner/name', path: null, ref: null, url: null },
      stars: 1_200,
      updated_at: '2026-01-02T00:00:00.000Z',
    });
    expect(skill.extra).toEqual({
      metadata: { author: { name: 'Ann', email: 'ann@example.com' } },
      repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
    });
  });

  it.each([
    ['owner/name', { repo: 'owner/name', path: null, ref: null, url: null }],
    [
      'https://github.com/owner/name/tree/main/skills/x',
      { repo: 'owner/name', path: 'skills/x', ref: 'main', url: 'https://github.com/owner/name/tree/main/skills/x' },
    ],
    ['git@github.com:owner/name.git', { repo: 'owner/name', path: null, ref: null, url: null }],
    [
      { type: 'github', repo: 'owner/name', branch: 'dev', path: 'p', url: 'https://github.com/owner/name' },
      { repo: 'owner/name', path: 'p', ref: 'dev', url: 'https://github.com/owner/name' },
    ],
  ])('has a source from %j', (source, expected) => {
    expect(only({ name: 'x', source }).source).toEqual(expected);
  });

  it('keeps what it does not know, and a source that names no repository, as extra', () => {
    const extra = { source: 'Community Skills', risk: 'low', nested: { list: [1, null, { deep: true }] } };
    expect(only({ name: 'x', ...extra }).extra).toEqual(extra);
  });

  it('is mended where something is missing, and each mending is counted', () => {
    const document = [
      { id: 'only/an id', description: ' | ', tags: ['ok', '', null, '--', 'OK', { name: 'named' }, 3] },
      { name: 'no id', source: 'owner/name', stars: -1, updated_at: 'soon', featured: 'yes' },
    ];
    const [noName, noId] = skillsOf(document);
    expect(noName).toMatchObject({ id: 'only~an-id', name: 'an id', description: '', tags: ['ok', 'named', '3'] });
    expect(noName?.extra).toMatchObject({ id: 'only/an id' });
    expect(noId).toMatchObject({
      id: 'owner~name~no-id',
      author: 'owner',
      stars: null,
      updated_at: null,
      featured: false,
    });
    expect(noId?.extra).toEqual({ stars: -1, updated_at: 'soon', featured: 'yes' });
    expect(warningsOf(document)).toEqual({
      id_missing: 1,
      name_missing: 1,
      description_missing: 2,
      category_missing: 2,
      tags_missing: 1,
      author_from_repository: 1,
      tag_unusable: 3,
      field_unusable: 1,
    });
  });

  it('that cannot be used at all is rejected with its place, and the others are served', () => {
    const { skills, report } = read([null, 'text', 7, [], {}, { name: '|', id: ' ' }, { name: 'good' }]);
    expect(skills.map(({ id }) => id)).toEqual(['good']);
    expect(report.rejectedCount).toBe(6);
    expect(report.rejected.map(({ index, code }) => `${index} ${code}`)).toEqual([
      '0 not_an_object',
      '1 not_an_object',
      '2 not_an_object',
      '3 not_an_object',
      '4 no_name_and_id',
      '5 no_name_and_id',
    ]);
  });

  it('of which there are too many bad ones to list is counted still', () => {
    const { report } = read([...new Array(5_000).fill(null), { name: 'good' }]);
    expect(report.rejected).toHaveLength(100);
    expect(report.rejectedCount).toBe(5_000);
  });
});

describe('what could do harm', () => {
  it('does not change the prototype of anything', () => {
    const evil =
      '{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1},"b":1}}';
    const document = JSON.parse(`{"skills":{"__proto__":${evil},"x":${evil}},"categories":{"__proto__":{"name":"p"}}}`);
    const index = read(document);
    expect(index.skills).toHaveLength(2);
    expect(JSON.parse(index.byId.get('x')?.json ?? '').extra).toEqual({ a: { b: 1 } });
    expect(index.skills.map(({ json }) => json).join()).not.toContain('polluted');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(index.report.warnings()).toContainEqual({ code: 'key_unsafe', count: 2 });
  });

  it('is kept within bounds', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`);
    const record = {
      name: '😀'.repeat(500),
      description: 'd'.repeat(100_000),
      tags: Array.from({ length: 500 }, (_, at) => `${at}${'t'.repeat(80)}`),
      deep,
      long: 'l'.repeat(100_000),
      wide: new Array(100_000).fill('w'),
    };
    const skill = only(record);
    expect([...skill.name]).toHaveLength(200);
    expect(skill.description).toHaveLength(8_192);
    expect(skill.tags.every((tag) => tag.length <= 64)).toBe(true);
    expect(skill.tags.length).toBeLessThanOrEqual(100);
    expect(skill.id.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(skill.extra).length).toBeLessThan(40_000);
    expect(warningsOf([record])).toMatchObject({ text_cut: 1, extra_cut: 1, tag_unusable: 400 });
  });

  it('is neither run by terminals nor followed out of a folder nor linked to', () => {
    const skill = only({
      name: '\u001b[31mred\u0007\u202ename',
      description: 'a\u0000b\r\nc',
      path: '../../etc/passwd',
      url: 'javascript:alert(1)',
      note: '\u001b]0;title\u0007',
    });
    expect(skill).toMatchObject({ name: '[31mredname', description: 'ab\nc', source: { path: null, url: null } });
    expect(JSON.stringify(skill)).not.toMatch(/\\u001b|\\u0007/);
    expect(skill.extra).toMatchObject({ path: '../../etc/passwd', url: 'javascript:alert(1)' });
  });
});

describe('categories', () => {
  const skills = [
    { name: 'a', category: 'Docs' },
    { name: 'b', category: 'documents' },
    { name: 'c', category: 'new' },
  ];

  it.each([
    ['a list', [{ id: 'documents', name: 'Docs', description: 'Papers.', count: 99 }, 'empty', null, 7]],
    ['an object', { documents: { name: 'Docs', description: 'Papers.' }, empty: {}, junk: null }],
  ])('declared as %s keep name and description; skills are counted here, by id or name', (_form, categories) => {
    const index = read({ categories, skills });
    expect(index.categories.categories).toEqual([
      { id: 'documents', name: 'Docs', description: 'Papers.', count: 2 },
      { id: 'new', name: 'new', description: null, count: 1 },
      { id: 'empty', name: 'empty', description: null, count: 0 },
    ]);
    expect(index.byId.get('a')?.category).toBe('documents');
  });
});
