import { expect, test } from '@jest/globals';
import { buildSnapshot } from '../../src/building/build.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { skillsOf, sourceOf } from './packed-files.ts';

const PLACE = { name: 'review', repo: 'Owner/Tools', path: 'skills/review' };
const SAME_PLACE = { name: 'Review', repo: 'owner/tools', path: 'skills/review' };

const build = (...contents: unknown[]) =>
  buildSnapshot({ sources: contents.map((content, place) => sourceOf('abc'[place] as string, content)) });

test('records of the same repository, path and name are one skill: the first wins, what it lacks comes from the others, counts are the greatest', () => {
  const built = build(
    [{ ...PLACE, stars: 5, author: 'First', extra_field: 1 }],
    [{ ...SAME_PLACE, stars: 3, downloads: 9, author: 'Second', description: 'Reviews code', tags: ['git'] }],
    [{ ...SAME_PLACE, stars: 8, description: 'Another text', license: 'MIT', category: 'Quality' }],
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

test('records of the same repository, path and name lose nothing: tags, title and unknown fields of all of them are there', () => {
  const built = build(
    [{ ...PLACE, tags: ['one'], note: 'first' }],
    [{ ...SAME_PLACE, display_name: 'Review it', tags: ['ONE', 'two'], note: 'second', other: 2, featured: true }],
  );
  expect(skillsOf(built)).toMatchObject([
    { display_name: 'Review it', tags: ['one', 'two'], featured: true, extra: { note: 'first', other: 2 } },
  ]);
  expect(built.counts.tags).toBe(2);
  expect(new SearchEngine(built.search).find({ q: 'two', skip: 0 }).total).toBe(1);
});

test('records of the same repository, path and name take version and digest only from the same state of the files', () => {
  const other = { ...SAME_PLACE, ref: 'v1', version: '1.0.0', digest: 'a'.repeat(64) };
  expect(skillsOf(build([{ ...PLACE, ref: 'main' }], [other]))).toMatchObject([{ version: null, digest: null }]);
  expect(skillsOf(build([PLACE], [other]))).toMatchObject([
    { version: '1.0.0', digest: `sha256:${'a'.repeat(64)}`, source: { ref: 'v1' } },
  ]);
});

test.each([
  [
    'another address',
    { url: 'https://example.org/review' },
    { ref: 'v1', digest: 'a'.repeat(64) },
    { ref: null, digest: null },
  ],
  [
    'another version',
    { version: '1.0.0' },
    { version: '2.0.0', digest: 'a'.repeat(64) },
    { version: '1.0.0', digest: null },
  ],
  ['the same ref', { ref: 'v1' }, { ref: 'v1', version: '1.0.0' }, { ref: 'v1', version: '1.0.0' }],
])(
  'records of the same repository, path and name mix no two states of the files: %s',
  (_what, one, other, expected) => {
    const [skill] = skillsOf(build([{ ...PLACE, ...one }], [{ ...SAME_PLACE, ...other }]));
    expect({ ...skill, ...skill?.source }).toMatchObject(expected);
  },
);

test.each(['./skills/review', 'skills/review/', 'skills/review/SKILL.md'])(
  'records of the same repository, path and name are one also where the path is %s',
  (path) => {
    expect(skillsOf(build([PLACE], [{ ...SAME_PLACE, path }]))).toHaveLength(1);
  },
);

test('records of the same repository, path and name give their words up to the hundredth one, and count all', () => {
  const records = Array.from({ length: 300 }, (_, stars) => ({ ...PLACE, stars, tags: [`tag-${stars % 10}`] }));
  const built = build(records);
  expect(skillsOf(built)).toMatchObject([{ stars: 100, tags: Array.from({ length: 10 }, (_, at) => `tag-${at}`) }]);
  expect(built.report.duplicates.count).toBe(299);
  expect(new SearchEngine(built.search).find({ q: 'tag-9', skip: 0 }).total).toBe(1);
});

test('records of the same repository, path and name are told by their texts and ids where a place has several', () => {
  const [one, two] = ['one', 'two'].map((id) => ({ ...PLACE, id, description: `Is ${id}` }));
  const built = build(
    [one, two],
    [
      { ...two, license: 'MIT' },
      { ...one, license: 'GPL-3.0' },
    ],
  );
  expect(skillsOf(built).map(({ id, license }) => [id, license])).toEqual([
    ['one', 'GPL-3.0'],
    ['two', 'MIT'],
  ]);
});

test('records of the same repository, path and name stay as many as one source describes, though it said one without a text and another source told it, too', () => {
  const records = [{}, { description: 'Is b' }, { description: 'Is c' }].map((more) => ({
    ...PLACE,
    id: 'i',
    ...more,
  }));
  expect(skillsOf(build(records))).toHaveLength(2);
  expect(skillsOf(build([PLACE], records))).toHaveLength(2);
});

test('records of the same repository, path and name are looked for among sixty-four of one place', () => {
  const told = Array.from({ length: 100 }, (_, number) => ({ ...PLACE, description: `Review number ${number}` }));
  const built = build([...told, told[63], told[64]]);
  expect(skillsOf(built)).toHaveLength(101);
  expect(built.report.duplicates.count).toBe(1);
});

test('records of the same repository, path and name are two where there is no path and the texts differ, also in two sources', () => {
  const [one, two] = ['Deploys to AWS', 'Sings songs'].map((description) => [{ name: 'k', repo: 'o/k', description }]);
  expect(skillsOf(build(one, two))).toHaveLength(2);
  expect(skillsOf(build(one, one))).toHaveLength(1);
});

test('records of the same repository, path and name are one however often a second source tells it', () => {
  const told = { ...PLACE, description: 'Reviews code' };
  const built = build(
    [{ ...told, id: 'a' }],
    [
      { ...told, id: 'b' },
      { ...told, id: 'b' },
    ],
  );
  expect(skillsOf(built)).toHaveLength(1);
  expect(built.report.sources.map(({ records, skills }) => [records, skills])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test('records of the same repository, path and name are found by what was filled in, and count once', () => {
  const built = build([PLACE], [{ ...SAME_PLACE, description: 'Looks for defects', category: 'Quality' }]);
  const search = new SearchEngine(built.search);
  expect(search.find({ q: 'defects', skip: 0, facets: ['category'] })).toMatchObject({
    total: 1,
    facets: { category: [{ value: 'Quality', count: 1 }] },
  });
});

test('records of the same repository, path and name are one within one source, too, under an id that does not depend on their order', () => {
  const records = [
    { ...PLACE, stars: 1 },
    { ...SAME_PLACE, description: 'Reviews code' },
  ];
  const [left, right] = [build(records), build(records.toReversed())];
  expect(skillsOf(left)).toMatchObject([{ description: 'Reviews code', stars: 1, registries: ['a'] }]);
  expect(skillsOf(right).map(({ id }) => id)).toEqual(skillsOf(left).map(({ id }) => id));
});

test.each([
  ['ids', { id: 'a/review' }, { id: 'b/review' }],
  ['descriptions', { description: 'Reviews code' }, { description: 'Looks for defects' }],
])('records of the same repository, path and name stay two where one source gives them two %s', (_what, one, other) => {
  const built = build([
    { ...PLACE, ...one },
    { ...SAME_PLACE, ...other },
  ]);
  expect(skillsOf(built)).toHaveLength(2);
  expect(built.report.duplicates.count).toBe(0);
});

test.each([
  ['path', { path: 'skills/other' }],
  ['path’s case', { path: 'skills/Review' }],
  ['path: the root is not none', { path: '.' }],
  ['repository', { repo: 'owner/other' }],
  ['host', { repo: 'https://gitlab.com/owner/tools' }],
  ['name', { name: 'reviewer' }],
])('records of the same repository, path and name stay two where the %s differs', (_, other) => {
  expect(skillsOf(build([PLACE], [{ ...SAME_PLACE, ...other }]))).toHaveLength(2);
});

const record = { name: 'review', description: 'Reviews code', author: 'Someone' };

test.each([
  ['id', { id: 'one' }],
  ['address', { url: 'https://example.org/review' }],
])('records without a repository are one skill when they have the same text and %s', (_, mark) => {
  const skills = skillsOf(build([{ ...record, ...mark }], [{ ...record, ...mark, stars: 3 }]));
  expect(skills).toMatchObject([{ stars: 3, registries: ['a', 'b'] }]);
});

test.each([
  ['have neither id nor address', {}, {}],
  ['have other ids', { id: 'one' }, { id: 'two' }],
  ['have other texts', { id: 'one' }, { id: 'one', description: 'Another text' }],
  ['have other authors', { id: 'one' }, { id: 'one', author: 'Another' }],
])('records without a repository stay two when they %s', (_, left, right) => {
  const skills = skillsOf(build([{ ...record, ...left }], [{ ...record, ...right }]));
  expect(skills).toHaveLength(2);
  expect(new Set(skills.map(({ id }) => id)).size).toBe(2);
});

test('the category of a skill is the one that any source declares, by id or name in any case, in the spelling met first', () => {
  const built = build(
    { categories: [{ id: 'code-quality', name: 'Code Quality' }], skills: [{ name: 'a', category: 'CODE QUALITY' }] },
    {
      categories: [{ id: 'cq', name: 'Code quality', description: 'All of it' }],
      skills: [{ name: 'b', category: 'CQ' }],
    },
    [
      { name: 'c', category: 'Code-Quality' },
      { name: 'd', category: 'Else' },
      { name: 'e', category: 'ELSE' },
    ],
  );
  const categories = JSON.parse(Buffer.from(built.bodies.categories.identity).toString());
  expect(skillsOf(built).map(({ category }) => category)).toEqual([
    'code-quality',
    'code-quality',
    'code-quality',
    'Else',
    'Else',
  ]);
  expect(categories.categories).toEqual([
    { id: 'code-quality', name: 'Code Quality', description: 'All of it', count: 3 },
    { id: 'Else', name: 'Else', description: null, count: 2 },
  ]);
});

test('skills of one id keep it when an address changes: the host tells them apart', () => {
  const place = { id: 'x', name: 'review', path: 'skills/review' };
  const idsOf = (homepage: string | undefined) => {
    const records = [
      { ...place, repo: 'o/r', homepage },
      { ...place, repo: 'https://gitlab.com/o/r' },
    ];
    return skillsOf(build(records)).map(({ id, source }) => [id, source.url?.includes('gitlab')]);
  };
  const before = idsOf(undefined).map(([id, isElsewhere]) => [id, isElsewhere ?? false]);
  expect(idsOf('https://zz.example')).toEqual(before);
});

test('skills of one id keep it when a source is added behind', () => {
  const known = [{ id: 'x', name: 'zebra', repo: 'o/zebra' }];
  const skills = skillsOf(build(known, [{ id: 'x', name: 'ant', repo: 'o/ant' }]));
  expect(skills.map(({ id, name }) => [id, name])).toContainEqual(['x', 'zebra']);
});

test('skills of one id keep their ids when what they say changes', () => {
  const idsOf = (description: string) => {
    const built = build([{ id: 'c1', name: 'c1', description }], [{ id: 'c1', name: 'c1', description: 'mmm' }]);
    return new Map(skillsOf(built).map((skill) => [skill.registries[0], skill.id]));
  };
  expect(idsOf('zzz')).toEqual(idsOf('bbb'));
});

test('skills of one id keep their ids when their version changes', () => {
  const idsOf = (ref: string) => {
    const records = [
      { id: 'x', name: 'one', repo: 'o/r', path: 'one', ref: 'main' },
      { id: 'x', name: 'two', repo: 'o/r', path: 'two', ref },
    ];
    return new Map(skillsOf(build(records)).map(({ name, id }) => [name, id]));
  };
  expect(idsOf('c2')).toEqual(idsOf('c1'));
});
