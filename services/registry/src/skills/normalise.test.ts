import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/property-runs.ts';
import { identityOf } from './ids.ts';
import { type Draft, type DraftSkill, normaliseRecord } from './normalise.ts';
import { REJECTION_CODES, Report, WARNING_CODES } from './report.ts';
import { SKILL } from './skill.ts';

/** Of a record as it stands in a file. */
function read(record: unknown, report = new Report()): Draft {
  const draft = normaliseRecord({ index: 0, value: record }, report);
  if (draft === undefined) throw new Error('rejected');
  return draft;
}

const skillOf = (record: unknown): DraftSkill => read(record).skill;

function warningsOf(...records: unknown[]): Record<string, number> {
  const report = new Report();
  for (const [index, value] of records.entries()) normaliseRecord({ index, value }, report);
  return Object.fromEntries(report.warnings().map(({ code, count }) => [code, count]));
}

/** Nothing is missing here. */
const COMPLETE = { id: 'x', name: 'x', description: 'Text.', category: 'c', tags: ['t'], author: 'Ann' };

test('a record is read under the names that registries use, at the top or under metadata', () => {
  const skill = skillOf({
    slug: 'a',
    title: 'A',
    summary: 'Text.',
    metadata: { author: { name: 'Ann', email: 'ann@example.com' }, license: 'MIT', keywords: 'x, y', category: 'c' },
    repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
    stargazers_count: '1200',
    lastUpdated: '2026-01-02',
  });
  expect(skill).toEqual({
    name: 'A',
    display_name: 'A',
    description: 'Text.',
    category: 'c',
    tags: ['x', 'y'],
    author: 'Ann',
    source: { repo: 'owner/name', path: null, ref: null, url: 'https://example.com/owner/name' },
    license: 'MIT',
    version: null,
    compatibility: null,
    stars: 1_200,
    downloads: null,
    featured: false,
    updated_at: '2026-01-02T00:00:00.000Z',
    digest: null,
    install: null,
    valid: false,
    issues: ['name_characters'],
    extra: {
      metadata: { author: { name: 'Ann', email: 'ann@example.com' } },
      repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
    },
  });
});

test('a record has its fields in the order in which they are served', () => {
  const served = Object.keys(SKILL.shape).filter((name) => name !== 'id' && name !== 'registries');
  expect(Object.keys(skillOf({ name: 'x' }))).toEqual(served);
});

test('a record keeps what it does not know, and a source that names no repository, as extra', () => {
  const extra = { source: 'Community Skills', risk: 'low', nested: { list: [1, null, { deep: true }] } };
  expect(skillOf({ name: 'x', ...extra }).extra).toEqual(extra);
});

test('a record has an id by preference, and an identity that tells it from others', () => {
  expect(read({ id: 'owner/an id', name: 'x' })).toMatchObject({ upstreamId: 'owner/an id', base: 'owner~an-id' });
  expect(read({ name: 'x y', repo: 'o/n' })).toMatchObject({ upstreamId: undefined, base: 'o~n~x-y' });
  expect(read({ name: 'x' }).base).toBe('x');
  expect(read({ id: '/', name: '+1' }).base).toBe('1');
  const records = [
    { name: 'x' },
    { id: 'x', name: 'x' },
    { name: 'x', repo: 'o/n' },
    { name: 'x', repo: 'o/n', path: 'p' },
  ];
  const identities = records
    .map((record) => read(record))
    .map(({ skill, upstreamId }) => identityOf(skill, upstreamId));
  expect(new Set(identities).size).toBe(records.length);
});

test('a record takes the key it stands under for its id', () => {
  const draft = normaliseRecord({ index: 0, key: 'my/key', value: { description: 'Text.' } }, new Report());
  expect(draft).toMatchObject({ upstreamId: 'my/key', base: 'my~key', skill: { name: 'key' } });
});

const nowhere = { repo: null, path: null, ref: null, url: null };

test.each([
  ['owner/name', { repo: 'owner/name' }, undefined],
  [
    'https://github.com/owner/name/tree/main/skills/x',
    { repo: 'owner/name', path: 'skills/x', ref: 'main', url: 'https://github.com/owner/name/tree/main/skills/x' },
    undefined,
  ],
  ['git@github.com:owner/name.git', { repo: 'owner/name' }, 'git@github.com:owner/name.git'],
  ['github:owner/name', { repo: 'owner/name' }, 'github:owner/name'],
  ['https://github.com/owner/name/tree/main/../..', { repo: 'owner/name', ref: 'main' }, 'as url'],
  [
    { type: 'github', repo: 'owner/name', branch: 'dev', path: 'p', url: 'https://github.com/owner/name' },
    { repo: 'owner/name', path: 'p', ref: 'dev', url: 'https://github.com/owner/name' },
    { type: 'github' },
  ],
])(
  'the repository of a record is found in %j, which stays in extra where not all of it is served',
  (source, expected, left) => {
    const skill = skillOf({ name: 'x', source });
    const url = left === 'as url' ? { url: source } : {};
    expect(skill.source).toEqual({ ...nowhere, ...expected, ...url });
    expect(skill.extra).toEqual(left === undefined || left === 'as url' ? {} : { source: left });
  },
);

test('the repository of a record is found in an address of a host of repositories only', () => {
  const url = 'https://github.com/owner/name';
  expect(skillOf({ name: 'x', url })).toMatchObject({ source: { repo: 'owner/name', url }, extra: {} });
  expect(skillOf({ name: 'x', url: 'https://example.com/a/b' }).source.repo).toBeNull();
});

test('the repository of a record stays in extra where another address is served', () => {
  const repository = 'https://git.example.com/owner/name';
  expect(skillOf({ name: 'x', repository, homepage: 'https://example.com' })).toMatchObject({
    source: { repo: 'owner/name', url: 'https://example.com' },
    extra: { repository },
  });
});

test.each([
  [{ name: 'x', display_name: 'The X' }, 'The X'],
  [{ name: 'x', displayName: 'The X' }, 'The X'],
  [{ name: 'x', title: 'The X' }, 'The X'],
  [{ name: 'x', metadata: { display_name: 'The X' } }, 'The X'],
  [{ name: 'x' }, 'x'],
  [{ title: 'The X' }, 'The X'],
])('the title of a record of %j is %s', (record, title) => {
  expect(skillOf(record)).toMatchObject({ display_name: title, extra: {} });
});

test('the title of a record does not hide a second one', () => {
  expect(skillOf({ name: 'x', display_name: 'The X', title: 'Another' }).extra).toEqual({ title: 'Another' });
});

test.each([
  ['Needs  git', 'Needs git', false],
  [['node 20', 'git'], 'node 20, git', true],
  [{ node: '>=20', git: true, python: null, os: ['linux', 'mac'] }, 'node: >=20, git, os: linux, mac', true],
  [true, null, true],
  [[], null, true],
])('what a skill needs to run is one line of %j', (compatibility, line, isKept) => {
  const skill = skillOf({ name: 'x', compatibility });
  expect(skill.compatibility).toBe(line);
  expect(skill.extra).toEqual(isKept ? { compatibility } : {});
});

test('what a skill needs to run is kept up to a thousand characters, the rest in extra', () => {
  const compatibility = 'c'.repeat(1_001);
  const record = { ...COMPLETE, compatibility };
  expect(skillOf(record)).toMatchObject({ compatibility: 'c'.repeat(1_000), extra: { compatibility } });
  expect(skillOf(record).issues).toEqual(['compatibility_too_long']);
  expect(warningsOf(record)).toEqual({ text_cut: 1 });
});

const hex = 'aB'.repeat(32);

test.each([
  [{ digest: hex }],
  [{ sha256: `sha256:${hex}` }],
  [{ digest: ` SHA256-${hex} ` }],
  [{ metadata: { digest: hex } }],
])('a digest is read of %j', (fields) => {
  expect(skillOf({ name: 'x', ...fields })).toMatchObject({ digest: `sha256:${hex.toLowerCase()}`, extra: {} });
  expect(warningsOf({ ...COMPLETE, ...fields })).toEqual({});
});

test.each(['contentHash', 'content_hash', 'hash', 'checksum'])(
  'a digest is read of %s, too, which stays in extra',
  (name) => {
    const digest = `sha256:${hex.toLowerCase()}`;
    for (const given of [hex, digest]) {
      expect(skillOf({ name: 'x', [name]: given })).toMatchObject({ digest, extra: { [name]: given } });
      expect(warningsOf({ ...COMPLETE, [name]: given })).toEqual({});
    }
    expect(skillOf({ name: 'x', [name]: '1'.repeat(64), digest })).toMatchObject({ digest });
    expect(skillOf({ name: 'x', [name]: 'abc' })).toMatchObject({ digest: null, extra: { [name]: 'abc' } });
  },
);

test.each<[object, boolean]>([
  [{}, true],
  [{ files: ['SKILL.md'] }, true],
  [{ files: [{ path: 'skills/a/SKILL.md', size: 7 }] }, true],
  [{ files: { 'SKILL.md': 7 } }, true],
  [{ files: [] }, true],
  [{ files: 3 }, true],
  [{ files: ['SKILL.md', 'references/more.md'] }, false],
  [{ files: ['a/SKILL.md', 'b/SKILL.md'] }, false],
  [{ files: ['skill.zip'] }, false],
  [{ files: [{ name: 'skill.tar.gz' }] }, false],
  [{ files: { 'SKILL.md': 7, 'run.sh': 3 } }, false],
  [{ metadata: { files: ['SKILL.md', 'run.sh'] } }, false],
  [{ content: 'x'.repeat(9_000), readme: 'x'.repeat(9_000), files: ['SKILL.md', 'run.sh'] }, false],
  [{ digest: undefined, contentHash: hex }, false],
  [{ digest: undefined, metadata: { hash: hex } }, false],
])('a digest with %j is of the SKILL.md: %s', (fields, isOfFile) => {
  const draft = normaliseRecord({ index: 0, value: { name: 'x', digest: hex, ...fields } }, new Report());
  expect(draft).toMatchObject({ skill: { digest: `sha256:${hex.toLowerCase()}` }, hasFileDigest: isOfFile });
});

test('a digest that cannot be used stays in extra with a warning, unless another one can be', () => {
  expect(skillOf({ name: 'x', digest: 'md5:1' })).toMatchObject({ digest: null, extra: { digest: 'md5:1' } });
  expect(warningsOf({ ...COMPLETE, digest: 'md5:1', sha256: 7 })).toEqual({ digest_unusable: 1 });
  expect(warningsOf({ ...COMPLETE, digest: 'md5:1', sha256: hex })).toEqual({});
});

test.each(['1.0.0', '2026-01', 'v2 (beta)', `1.0.0-${'r'.repeat(58)}`])(
  'a version is %s as it is written',
  (version) => {
    expect(skillOf({ name: 'x', version })).toMatchObject({ version, extra: {} });
  },
);

test.each([`1.0.0-${'r'.repeat(59)}`, '|', { major: 1 }])(
  'a version is none of %j, which stays in extra',
  (version) => {
    expect(skillOf({ name: 'x', version })).toMatchObject({ version: null, extra: { version } });
    expect(warningsOf({ ...COMPLETE, version })).toEqual({ field_unusable: 1 });
  },
);

test.each([
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['2026-01-31T03:04:05Z', '2026-01-31T03:04:05.000Z'],
  ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  [1_767_323_045, '2026-01-02T03:04:05.000Z'],
  [1_767_323_045_678, '2026-01-02T03:04:05.678Z'],
])('a time of %j is %s', (updated_at, expected) => {
  expect(skillOf({ name: 'x', updated_at })).toMatchObject({ updated_at: expected, extra: {} });
});

test.each(['soon', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z', '1960-01-01T00:00:00Z', -1])(
  'a time is none of %j',
  (updated) => {
    expect(skillOf({ name: 'x', updated })).toMatchObject({ updated_at: null, extra: { updated } });
  },
);

test('a time in the common form is what reckoning it gives', () => {
  const min = new Date(0);
  const max = new Date('2999-12-31T23:59:59.999Z');
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      expect(skillOf({ name: 'x', updated_at: date.toISOString() }).updated_at).toBe(date.toISOString());
    }),
  );
});

test.each([
  [['a', 'b'], ['a', 'b'], false],
  ['a, b,', ['a', 'b'], false],
  [['a', 'a', ' b '], ['a', 'b'], false],
  [['A', 'b', 'a'], ['A', 'b'], true],
  [['a', '--'], ['a'], true],
  [['a', { name: 'b' }], ['a', 'b'], true],
  [['a', 3], ['a', '3'], false],
  [['caf\u00e9', 'cafe\u0301', 'CAFE\u0301'], ['caf\u00e9'], true],
  [['cafe\u0301'], ['cafe\u0301'], false],
  [[`${'t'.repeat(64)}x`], ['t'.repeat(64)], true],
  [[], [], false],
  [7, [], true],
])('the tags of a record of %j are %j, and all stay in extra where one of them is lost', (tags, expected, isKept) => {
  const skill = skillOf({ name: 'x', tags });
  expect(skill.tags).toEqual(expected);
  expect(skill.extra).toEqual(isKept ? { tags } : {});
});

test('the tags of a record are looked for further where there are none', () => {
  expect(skillOf({ name: 'x', tags: [], metadata: { topics: ['t'] } })).toMatchObject({ tags: ['t'], extra: {} });
});

test('what is mended is counted where something is missing', () => {
  const records = [
    { id: 'only/an id', description: ' | ', tags: ['ok', '', null, '--', 'OK', { name: 'named' }, 3] },
    { name: 'no id', source: 'owner/name', stars: -1, updated_at: 'soon', featured: 'yes' },
  ];
  expect(read(records[0])).toMatchObject({
    upstreamId: 'only/an id',
    skill: { name: 'an id', description: '', tags: ['ok', 'named', '3'] },
  });
  expect(skillOf(records[1])).toMatchObject({
    author: 'owner',
    stars: null,
    updated_at: null,
    featured: false,
    extra: { stars: -1, updated_at: 'soon', featured: 'yes' },
  });
  expect(warningsOf(...records)).toEqual({
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

const { id: _id, ...withoutId } = COMPLETE;
test.each([
  ['id_missing', withoutId],
  ['name_missing', { ...COMPLETE, name: undefined }],
  ['description_missing', { ...COMPLETE, description: ' | ' }],
  ['category_missing', { ...COMPLETE, category: null }],
  ['tags_missing', { ...COMPLETE, tags: [] }],
  ['author_from_repository', { ...COMPLETE, author: '', repo: 'o/n' }],
  ['text_cut', { ...COMPLETE, description: 'd'.repeat(8_193) }],
  ['tag_unusable', { ...COMPLETE, tags: ['a', '|'] }],
  ['field_unusable', { ...COMPLETE, version: {} }],
  ['field_unusable', { ...COMPLETE, install: 'i'.repeat(2_049) }],
  ['field_unusable', { ...COMPLETE, path: 'p'.repeat(1_025) }],
  ['path_unsafe', { ...COMPLETE, path: 'a/../../b' }],
  ['path_unsafe', { ...COMPLETE, path: 'C:\\b' }],
  ['url_unsafe', { ...COMPLETE, url: 'javascript:alert(1)' }],
  ['key_unsafe', JSON.parse(`{${JSON.stringify(COMPLETE).slice(1, -1)},"more":{"__proto__":1}}`)],
  ['extra_cut', { ...COMPLETE, more: 'm'.repeat(20_000) }],
  ['digest_unusable', { ...COMPLETE, digest: 'none' }],
])('what is mended is counted as %s', (code, record) => {
  expect(WARNING_CODES).toContain(code);
  expect(warningsOf(record)).toEqual({ [code]: 1 });
});

const long = 'l'.repeat(1_100);
test.each([
  ['id', { id: long }],
  ['name', { name: long }],
  ['display_name', { display_name: long }],
  ['category', { category: { name: long } }],
  ['tags', { tags: ['t', 'l'.repeat(65)] }],
  ['author', { author: long }],
  ['license', { license: long }],
  ['several', { name: long, author: long }],
])('what is mended is counted once as text_cut for too long a text: %s', (_, fields) => {
  expect(warningsOf({ ...COMPLETE, ...fields })).toEqual({ text_cut: 1 });
});

test('what is mended is counted as text_cut for too long a key that becomes the id', () => {
  const report = new Report();
  normaliseRecord({ index: 0, key: long, value: withoutId }, report);
  expect(report.warnings()).toEqual([{ code: 'text_cut', count: 1 }]);
});

test('what is mended is nothing where all is well', () => expect(warningsOf(COMPLETE)).toEqual({}));

test('a record that cannot be used at all is rejected with its place and code', () => {
  const report = new Report();
  const values = [null, 'text', 7, [], {}, { name: '|', id: ' ' }];
  for (const [index, value] of values.entries()) expect(normaliseRecord({ index, value }, report)).toBeUndefined();
  const key = `k${'\u001b'}${'y'.repeat(500)}`;
  normaliseRecord({ index: 6, key, value: undefined, isTooLarge: true }, report);
  expect(report.rejected.map(({ index, code }) => `${index} ${code}`)).toEqual([
    '0 not_an_object',
    '1 not_an_object',
    '2 not_an_object',
    '3 not_an_object',
    '4 no_name_and_id',
    '5 no_name_and_id',
    '6 record_too_large',
  ]);
  expect(report.rejected[6]?.id).toBe(`k${'y'.repeat(199)}`);
  expect(new Set(report.rejected.map(({ code }) => code))).toEqual(new Set(REJECTION_CODES));
});

test('what could do harm does not change the prototype of anything', () => {
  const evil =
    '{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1},"b":1},"metadata":{"__proto__":{"polluted":1},"m":1}}';
  const skill = skillOf(JSON.parse(evil));
  expect(skill.extra).toEqual({ a: { b: 1 }, metadata: { m: 1 } });
  expect(JSON.stringify(skill)).not.toContain('polluted');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(warningsOf(JSON.parse(evil))).toMatchObject({ key_unsafe: 1 });
});

test('what could do harm is kept within bounds', () => {
  const record = {
    name: '😀'.repeat(500),
    description: 'd'.repeat(100_000),
    tags: Array.from({ length: 500 }, (_, at) => `${at}${'t'.repeat(80)}`),
    deep: JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
    long: 'l'.repeat(100_000),
    wide: new Array(100_000).fill('w'),
  };
  const { skill, base } = read(record);
  expect([...skill.name]).toHaveLength(200);
  expect(skill.description).toHaveLength(8_192);
  expect(skill.tags.every((tag) => tag.length <= 64)).toBe(true);
  expect(skill.tags.length).toBeLessThanOrEqual(100);
  expect(base.length).toBeLessThanOrEqual(200);
  expect(JSON.stringify(skill.extra).length).toBeLessThan(40_000);
  expect(warningsOf(record)).toMatchObject({ text_cut: 1, extra_cut: 1, tag_unusable: 400 });
});

test('what could do harm does not overflow the stack, whatever field is nested 100,000 deep', () => {
  const list = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const object = JSON.parse(`${'{"url":{"name":'.repeat(50_000)}1${'}}'.repeat(50_000)}`);
  for (const name of [
    'author',
    'category',
    'tags',
    'repo',
    'source',
    'metadata',
    'license',
    'compatibility',
    'id',
    'x',
  ]) {
    for (const deep of [list, object]) expect(skillOf({ name: 'x', [name]: deep }).name).toBe('x');
  }
});

test('what could do harm is neither run by terminals nor followed out of a folder nor linked to', () => {
  const skill = skillOf({
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

test('what could do harm is no half of an address or a command', () => {
  const record = { url: `https://example.com/${'u'.repeat(2_000)}`, install: `run ${'i'.repeat(3_000)}` };
  expect(skillOf({ name: 'x', ...record })).toMatchObject({ source: { url: null }, install: null, extra: record });
});

const FIELD_NAMES = [
  ...[
    'id',
    'slug',
    'name',
    'title',
    'display_name',
    'description',
    'summary',
    'category',
    'categories',
    'tags',
    'keywords',
  ],
  ...[
    'author',
    'owner',
    'license',
    'version',
    'compatibility',
    'stars',
    'downloads',
    'featured',
    'updated_at',
    'digest',
  ],
  ...[
    'install',
    'repo',
    'repository',
    'source',
    'github_url',
    'url',
    'homepage',
    'path',
    'ref',
    'branch',
    'metadata',
    'host',
    'type',
    'other',
  ],
];
const leaf = fc.oneof(
  fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 ./:@~#-]{0,30}$/),
  fc.constantFrom(
    'git@example.com:o/n.git',
    'https://github.com/o/n/tree/main/p',
    'https://gitlab.com/o/n/-/tree/main/a%20b?x=1',
    'https://example.com/o/n',
    'git.example.com',
    'gitlab',
    '../up',
    'javascript:x',
    '--',
    'o/n',
  ),
);
const { record } = fc.letrec<{ value: unknown; record: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { weight: 4, arbitrary: leaf },
    fc.constantFrom(null, true, 7, -1.5, '', ' '),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('record'),
  ),
  record: fc.dictionary(fc.constantFrom(...FIELD_NAMES), tie('value'), { maxKeys: 12 }),
}));

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const squeeze = (text: string) => text.replace(/\s+/g, '');

test('any record becomes a skill of the documented shape, or is rejected', () => {
  const anything = fc.oneof(record, fc.object({ key: fc.constantFrom(...FIELD_NAMES) }), fc.jsonValue());
  fc.assert(
    fc.property(anything, (value) => {
      const report = new Report();
      const draft = normaliseRecord({ index: 0, value }, report);
      expect(report.rejectedCount).toBe(draft === undefined ? 1 : 0);
      if (draft) {
        const served = { id: draft.base, registries: [], ...draft.skill };
        expect(SKILL.strict().parse(JSON.parse(JSON.stringify(served)))).toBeDefined();
      }
    }),
    { numRuns: runs(1_000) },
  );
}, 120_000);

test('any record loses no text: what no field serves is in extra', () => {
  fc.assert(
    fc.property(record, (value) => {
      const report = new Report();
      const draft = normaliseRecord({ index: 0, value }, report);
      if (draft === undefined || report.warnings().some(({ code }) => code === 'extra_cut')) return;
      const served = squeeze(textsOf([draft.upstreamId, draft.skill]).join('\n'));
      for (const text of textsOf(value)) expect(served).toContain(squeeze(text));
    }),
    { numRuns: runs(2_000) },
  );
}, 120_000);

test('any record of printable ASCII is read the same when that is known', () => {
  fc.assert(
    fc.property(record, (value) => {
      const known = normaliseRecord({ index: 0, value, isPlain: true }, new Report());
      expect(known).toEqual(normaliseRecord({ index: 0, value }, new Report()));
    }),
    { numRuns: runs(1_000) },
  );
}, 120_000);
