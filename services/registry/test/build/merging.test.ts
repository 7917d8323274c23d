import { expect, test } from '@jest/globals';
import { buildSnapshot } from '../../src/build/build.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { skillsOf, sourceOf } from './packed-files.ts';

const SAME_ORIGIN = { name: 'review', repo: 'Owner/Tools', path: 'skills/review' };
const SAME_PLACE = { name: 'Review', repo: 'owner/tools', path: 'skills/review' };

const build = (...contents: unknown[]) =>
  buildSnapshot({ sources: contents.map((content, place) => sourceOf('abc'[place] as string, content)) });

/** A record of the same repository, path and name as `SAME_ORIGIN`, in another case. */
const same = (more: object = {}) => ({ ...SAME_PLACE, ...more });

test('merged records have the values of the first record, missing values of later ones, and the highest counts', () => {
  const built = build(
    [{ ...SAME_ORIGIN, stars: 5, author: 'First', extra_field: 1 }],
    [same({ stars: 3, downloads: 9, author: 'Second', description: 'Reviews code', tags: ['git'] })],
    [same({ stars: 8, description: 'Another text', license: 'MIT', category: 'Quality' })],
  );
  expect(skillsOf(built)).toMatchObject([
    {
      name: 'review',
      author: 'First',
      stars: 8,
      downloads: 9,
      description: 'Reviews code',
      tags: ['git'],
      license: 'MIT',
      category: 'Quality',
      valid: true,
      issues: [],
      registries: ['a', 'b', 'c'],
      extra: { extra_field: 1 },
    },
  ]);
  expect(built.report.duplicates).toEqual({ count: 2, ids: [skillsOf(built)[0]?.id] });
  expect(built.report.warnings).toContainEqual({ code: 'duplicate_merged', count: 2 });
  expect(built.report.sources.map(({ records }) => records)).toEqual([1, 1, 1]);
  expect(built.counts).toEqual({ skills: 1, categories: 1, tags: 1 });
});

test('merged records have the tags, the display name and the unknown fields of all, and a search finds them by these', () => {
  const built = build(
    [{ ...SAME_ORIGIN, tags: ['one'], note: 'first' }],
    [
      same({ display_name: 'Review it', tags: ['ONE', 'two'], note: 'second', other: 2, featured: true }),
      same({ description: 'Looks for defects', category: 'Quality' }),
    ],
  );
  expect(skillsOf(built)).toMatchObject([
    { display_name: 'Review it', tags: ['one', 'two'], featured: true, extra: { note: 'first', other: 2 } },
  ]);
  expect(built.counts.tags).toBe(2);
  const search = new SearchEngine(built.search);
  expect(search.find({ q: 'two', skip: 0 }).total).toBe(1);
  expect(search.find({ q: 'defects', skip: 0, facets: ['category'] })).toMatchObject({
    total: 1,
    facetsJson: '{"category":[{"value":"Quality","count":1}]}',
  });
});

const digest = 'a'.repeat(64);

test.each([
  ['refs differ', { ref: 'main' }, { ref: 'v1', version: '1.0.0', digest }, { version: null, digest: null }],
  [
    'only one has a ref',
    {},
    { ref: 'v1', version: '1.0.0', digest },
    { ref: 'v1', version: '1.0.0', digest: `sha256:${digest}` },
  ],
  ['URLs differ', { url: 'https://example.org/review' }, { ref: 'v1', digest }, { ref: null, digest: null }],
  ['versions differ', { version: '1.0.0' }, { version: '2.0.0', digest }, { version: '1.0.0', digest: null }],
  ['refs are equal', { ref: 'v1' }, { ref: 'v1', version: '1.0.0' }, { ref: 'v1', version: '1.0.0' }],
])('merged records do not mix versions of the files where %s', (_what, one, other, expected) => {
  const [skill] = skillsOf(build([{ ...SAME_ORIGIN, ...one }], [same(other)]));
  expect({ ...skill, ...skill?.source }).toMatchObject(expected);
});

const text = { name: 'review', description: 'Reviews code', author: 'Someone' };
const one = { ...text, id: 'one' };
const linked = { ...text, url: 'https://example.org/review' };
const noPath = (description: string) => ({ name: 'k', repo: 'o/k', description });
const described = [{}, { description: 'Is b' }, { description: 'Is c' }].map((more) => ({
  ...SAME_ORIGIN,
  id: 'i',
  ...more,
}));

test.each<[skills: number, where: string, ...sources: unknown[][]]>([
  [1, 'the path begins with ./', [SAME_ORIGIN], [same({ path: './skills/review' })]],
  [1, 'the path ends with /', [SAME_ORIGIN], [same({ path: 'skills/review/' })]],
  [1, 'the path is that of the SKILL.md', [SAME_ORIGIN], [same({ path: 'skills/review/SKILL.md' })]],
  [2, 'the paths differ', [SAME_ORIGIN], [same({ path: 'skills/other' })]],
  [2, 'the paths differ by case', [SAME_ORIGIN], [same({ path: 'skills/Review' })]],
  [2, 'one path is the root', [SAME_ORIGIN], [same({ path: '.' })]],
  [2, 'the repositories differ', [SAME_ORIGIN], [same({ repo: 'owner/other' })]],
  [2, 'the hosts differ', [SAME_ORIGIN], [same({ repo: 'https://gitlab.com/owner/tools' })]],
  [2, 'the names differ', [SAME_ORIGIN], [same({ name: 'reviewer' })]],
  [2, 'one source has two ids', [{ ...SAME_ORIGIN, id: 'a/review' }, same({ id: 'b/review' })]],
  [2, 'one source has two descriptions', [{ ...SAME_ORIGIN, description: 'Reviews' }, same({ description: 'Looks' })]],
  [2, 'one source has two descriptions and none', described],
  [2, 'one of two sources has two descriptions and none', [SAME_ORIGIN], described],
  [1, 'a source repeats an id', [{ ...SAME_ORIGIN, id: 'a' }], [same({ id: 'b' }), same({ id: 'b' })]],
  [1, 'there is no path and the same text', [noPath('Deploys')], [noPath('Deploys')]],
  [2, 'there is no path and another text', [noPath('Deploys')], [noPath('Sings')]],
  [1, 'one has a path, the only one of that name', [{ ...noPath('Deploys'), path: 'k' }], [noPath('Sings')]],
  [1, 'one has no path before the other has one', [noPath('Sings')], [{ ...noPath('Deploys'), path: 'k' }]],
  [1, 'several have no path and one has', [noPath('A')], [noPath('B')], [{ ...noPath('C'), path: 'k' }]],
  [
    3,
    'one has no path, and two have different ones',
    [{ ...noPath('A'), path: 'a' }],
    [{ ...noPath('B'), path: 'b' }],
    [noPath('C')],
  ],
  [
    2,
    'one has no path, and the text of one of two',
    [{ ...noPath('A'), path: 'a' }],
    [{ ...noPath('B'), path: 'b' }],
    [noPath('B')],
  ],
  [
    2,
    'paths differ, and one between has none',
    [{ ...noPath('A'), path: 'a' }, noPath('A'), { ...noPath('A'), path: 'b' }],
  ],
  [2, 'a source has two texts without a path', [{ ...noPath('A'), path: 'a' }], [noPath('A'), noPath('B')]],
  [1, 'there is no repository but the same id', [one], [{ ...one, stars: 3 }]],
  [1, 'there is no repository but the same URL', [linked], [linked]],
  [2, 'there is no repository, id or URL', [text], [text]],
  [2, 'there is no repository and another id', [one], [{ ...one, id: 'two' }]],
  [2, 'there is no repository and another text', [one], [{ ...one, description: 'Sings' }]],
  [2, 'there is no repository and another author', [one], [{ ...one, author: 'Another' }]],
])('similar records make %i skills where %s', (skills, _where, ...sources) => {
  expect(skillsOf(build(...sources))).toHaveLength(skills);
});

test('merged records are indexed up to the hundredth record, and all are counted', () => {
  const records = Array.from({ length: 300 }, (_, stars) => ({ ...SAME_ORIGIN, stars, tags: [`tag-${stars % 10}`] }));
  const built = build(records);
  expect(skillsOf(built)).toMatchObject([{ stars: 100, tags: Array.from({ length: 10 }, (_, at) => `tag-${at}`) }]);
  expect(built.report.duplicates.count).toBe(299);
  expect(new SearchEngine(built.search).find({ q: 'tag-9', skip: 0 }).total).toBe(1);
});

test('records of the same repository, path and name are merged by text and id', () => {
  const [one, two] = ['one', 'two'].map((id) => ({ ...SAME_ORIGIN, id, description: `Is ${id}` }));
  const licensed = [
    { ...two, license: 'MIT' },
    { ...one, license: 'GPL-3.0' },
  ];
  expect(skillsOf(build([one, two], licensed)).map(({ id, license }) => [id, license])).toEqual([
    ['one', 'GPL-3.0'],
    ['two', 'MIT'],
  ]);
});

test('a skill is never merged into an agent, a server or another record that is not listed', () => {
  for (const type of ['agent', 'mcp_server', 'command', 'hook', 'setting']) {
    const { counts, search } = build([{ name: 'review', repo: 'owner/tools', type }], [SAME_PLACE]);
    expect([counts.skills, search.count]).toEqual([1, 2]);
  }
  const servers = build([{ ...SAME_ORIGIN, type: 'mcp_server' }], [same({ type: 'mcp_server' })]);
  expect(servers.search.count).toBe(1);
});

test('a record is compared with at most sixty-four skills of the same repository, path and name', () => {
  const reviews = Array.from({ length: 100 }, (_, number) => ({
    ...SAME_ORIGIN,
    description: `Review number ${number}`,
  }));
  const built = build([...reviews, reviews[63], reviews[64]]);
  expect(skillsOf(built)).toHaveLength(101);
  expect(built.report.duplicates.count).toBe(1);
});

test('records of thousands of paths are merged', () => {
  const records = Array.from({ length: 3_000 }, (_, at) => ({ ...SAME_ORIGIN, path: `skills/${at}` }));
  expect(skillsOf(build(records, records))).toHaveLength(3_000);
});

test('a source reports the number of its records, and of the skills after merging', () => {
  const { report } = build([{ ...SAME_ORIGIN, id: 'a' }], [same({ id: 'b' }), same({ id: 'b' })]);
  expect(report.sources).toMatchObject([
    { records: 1, skills: 1 },
    { records: 2, skills: 1 },
  ]);
});

test('records of one source are merged under an id that does not depend on their order', () => {
  const records = [{ ...SAME_ORIGIN, stars: 1 }, same({ description: 'Reviews code' })];
  const [left, right] = [build(records), build(records.toReversed())];
  expect(skillsOf(left)).toMatchObject([{ description: 'Reviews code', stars: 1, registries: ['a'] }]);
  expect(skillsOf(right).map(({ id }) => id)).toEqual(skillsOf(left).map(({ id }) => id));
});

test('ids do not depend on the order of records where one without a path may belong to several', () => {
  const code = { repo: 'owner/tools', id: 'x', description: 'Reviews code' };
  const [a, b, none] = [
    { ...code, name: 'review code', path: 'a' },
    { ...code, name: 'review-code', path: 'b' },
    { ...code, name: 'Review Code' },
  ];
  const unnamed = { ...none, id: undefined };
  const idsOf = (...records: unknown[]) => new Set(skillsOf(build(records)).map(({ id }) => id));
  const ofPaths = idsOf(a, b);
  expect(ofPaths.size).toBe(2);
  for (const order of [
    [a, b, none],
    [a, none, b],
    [b, none, a],
    [none, a, b],
    [none, b, a],
  ]) {
    expect(idsOf(...order)).toEqual(ofPaths);
  }
  expect(idsOf(a, unnamed, none)).toEqual(idsOf(unnamed, none, a));
});

test('categories are merged by id or name in any case, with the first spelling and the first description', () => {
  const built = build(
    { categories: [{ id: 'code-quality', name: 'Code Quality' }], skills: [{ name: 'a', category: 'CODE QUALITY' }] },
    {
      categories: [{ id: 'cq', name: 'Code quality', description: 'All of it' }],
      skills: [{ name: 'b', category: 'CQ' }],
    },
    ['Code-Quality', 'Else', 'ELSE'].map((category) => ({ name: `c ${category}`, category })),
  );
  const { categories } = JSON.parse(Buffer.from(built.categories).toString());
  const [first, other] = ['code-quality', 'Else'];
  expect(skillsOf(built).map(({ category }) => category)).toEqual([first, first, first, other, other]);
  expect(categories).toEqual([
    { id: first, name: 'Code Quality', description: 'All of it', count: 3 },
    { id: other, name: other, description: null, count: 2 },
  ]);
});

/** The id of each skill by name, source and repository. */
const idsOf = (...contents: unknown[]) =>
  skillsOf(build(...contents)).map(({ id, name, registries: [registry], source }) => {
    const isGitLab = source.url?.includes('gitlab') ?? false;
    return [name, registry, source.repo, isGitLab, id];
  });

const onGitHub = { id: 'x', name: 'review', path: 'skills/review', repo: 'o/r' };
const onGitLab = { ...onGitHub, repo: 'https://gitlab.com/o/r' };
const zebra = { id: 'x', name: 'zebra', repo: 'o/zebra' };
const main = { id: 'x', name: 'one', repo: 'o/r', path: 'one', ref: 'main' };
const c1 = (description: string) => [{ id: 'c1', name: 'c1', description }];

test.each<[string, unknown[], unknown[]]>([
  ['a URL', [[onGitHub, onGitLab]], [[{ ...onGitHub, homepage: 'https://zz.example' }, onGitLab]]],
  ['the list of sources', [[zebra]], [[zebra], [{ id: 'x', name: 'ant', repo: 'o/ant' }]]],
  ['a description', [c1('zzz'), c1('mmm')], [c1('bbb'), c1('mmm')]],
  [
    'a version',
    [[main, { ...main, name: 'two', path: 'two', ref: 'c1' }]],
    [[main, { ...main, name: 'two', path: 'two' }]],
  ],
])('skills that share an id upstream keep their ids when %s changes', (_what, before, after) => {
  expect(idsOf(...after)).toEqual(expect.arrayContaining(idsOf(...before)));
});
