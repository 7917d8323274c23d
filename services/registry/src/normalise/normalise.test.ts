import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { draftOf } from '../../test/support/draft-of.ts';
import { runs } from '../../test/support/property-runs.ts';
import { REJECTION_CODES, Report } from '../skills/report.ts';
import { SKILL } from '../skills/skill.ts';
import { type DraftSkill, normaliseRecord } from './normalise.ts';

const skillOf = (record: unknown): DraftSkill => draftOf(record).skill;

function warningsOf(...records: unknown[]): Record<string, number> {
  const report = new Report();
  for (const [index, value] of records.entries()) normaliseRecord({ index, value }, report);
  return Object.fromEntries(report.warnings().map(({ code, count }) => [code, count]));
}

const FIELD_NAMES = [
  'id slug name title display_name description summary category categories tags keywords author owner license version',
  'compatibility stars downloads featured updated_at digest install repo repository source github_url url homepage',
  'path ref branch metadata host type other key kind html_url download_url skill_md_url installUrl relPath paths sha',
  'stats isFeatured last_updated_at row server repoOwner repoName commit_sha label',
].flatMap((names) => names.split(' '));

/** Nothing is missing here. */
const COMPLETE = { id: 'x', name: 'x', description: 'Text.', category: 'c', tags: ['t'], author: 'Ann' };

test('a record is read under the field names that registries use, at the top or below metadata', () => {
  const skill = skillOf({
    slug: 'a',
    title: 'The A',
    summary: 'Text.',
    metadata: { author: { name: 'Ann', email: 'ann@example.com' }, license: 'MIT', keywords: 'x, y', category: 'c' },
    repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
    stargazers_count: '1200',
    lastUpdated: '2026-01-02',
  });
  expect(skill).toEqual({
    name: 'a',
    display_name: 'The A',
    description: 'Text.',
    kind: 'skill',
    category: 'c',
    categories: ['c'],
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
    digest_of: null,
    install: null,
    valid: true,
    issues: [],
    extra: {
      metadata: { author: { name: 'Ann', email: 'ann@example.com' } },
      repository: { type: 'git', url: 'git+https://example.com/owner/name.git' },
    },
  });
});

test('unknown fields, and a source that names no repository, are kept in extra', () => {
  const extra = { source: 'Community Skills', risk: 'low', nested: { list: [1, null, { deep: true }] } };
  expect(skillOf({ name: 'x', ...extra }).extra).toEqual(extra);
});

test.each<[string, object, object]>([
  ['its own id', { id: 'owner/an id', name: 'x' }, { upstreamId: 'owner/an id', base: 'owner~an-id' }],
  ['repository and name', { name: 'x y', repo: 'o/n' }, { upstreamId: undefined, base: 'o~n~x-y' }],
  ['its name', { name: 'x' }, { base: 'x' }],
  ['its name where the id has no letters', { id: '/', name: '+1' }, { base: '1' }],
])('the id of a skill is made of %s', (_what, record, draft) => {
  expect(draftOf(record)).toMatchObject(draft);
});

test('a record without an id gets the key of its member as id and name', () => {
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
  'the repository of a skill is found in %j, which is kept in extra where not all of it is served',
  (source, expected, left) => {
    const skill = skillOf({ name: 'x', source });
    const url = left === 'as url' ? { url: source } : {};
    expect(skill.source).toEqual({ ...nowhere, ...expected, ...url });
    expect(skill.extra).toEqual(left === undefined || left === 'as url' ? {} : { source: left });
  },
);

test('a second title is kept in extra', () => {
  expect(skillOf({ name: 'x', display_name: 'The X', title: 'Another' }).extra).toEqual({ title: 'Another' });
  expect(skillOf({ slug: 'git', name: 'Git', label: 'Version control' })).toMatchObject({
    name: 'git',
    display_name: 'Version control',
    extra: { name: 'Git' },
  });
});

test.each([
  ['Needs  git', 'Needs git', false],
  [['node 20', 'git'], 'node 20, git', true],
  [{ node: '>=20', git: true, python: null, os: ['linux', 'mac'] }, 'node: >=20, git, os: linux, mac', true],
  [true, null, true],
  [[], null, true],
])('the compatibility %j becomes one line', (compatibility, line, isKept) => {
  const skill = skillOf({ name: 'x', compatibility });
  expect(skill.compatibility).toBe(line);
  expect(skill.extra).toEqual(isKept ? { compatibility } : {});
});

test('compatibility is truncated after a thousand characters, and kept in full in extra', () => {
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
])('the digest of a skill is read from %j', (fields) => {
  expect(skillOf({ name: 'x', ...fields })).toMatchObject({ digest: `sha256:${hex.toLowerCase()}`, extra: {} });
  expect(warningsOf({ ...COMPLETE, ...fields })).toEqual({});
});

test.each(['contentHash', 'content_hash', 'hash', 'checksum'])(
  'the digest of a skill is also read from %s, which is kept in extra',
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
])('a digest beside %j is that of the SKILL.md: %s', (fields, isOfFile) => {
  const draft = normaliseRecord({ index: 0, value: { name: 'x', digest: hex, ...fields } }, new Report());
  expect(draft).toMatchObject({
    skill: { digest: `sha256:${hex.toLowerCase()}`, digest_of: isOfFile ? 'skill_md' : 'folder' },
  });
});

test('an unusable digest is kept in extra, with a warning unless another digest is usable', () => {
  expect(skillOf({ name: 'x', digest: 'md5:1' })).toMatchObject({ digest: null, extra: { digest: 'md5:1' } });
  expect(warningsOf({ ...COMPLETE, digest: 'md5:1', sha256: 7 })).toEqual({ digest_unusable: 1 });
  expect(warningsOf({ ...COMPLETE, digest: 'md5:1', sha256: hex })).toEqual({});
});

test.each([
  ['1.0.0', true],
  ['2026-01', true],
  ['v2 (beta)', true],
  [`1.0.0-${'r'.repeat(58)}`, true],
  [`1.0.0-${'r'.repeat(59)}`, false],
  ['|', false],
  [{ major: 1 }, false],
])('the version %j is served as written: %s; otherwise it is kept in extra with a warning', (version, isServed) => {
  const expected = isServed ? { version, extra: {} } : { version: null, extra: { version } };
  expect(skillOf({ name: 'x', version })).toMatchObject(expected);
  expect(warningsOf({ ...COMPLETE, version })).toEqual(isServed ? {} : { field_unusable: 1 });
});

test.each([
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['2026-01-31T03:04:05Z', '2026-01-31T03:04:05.000Z'],
  ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  [1_767_323_045, '2026-01-02T03:04:05.000Z'],
  [1_767_323_045_678, '2026-01-02T03:04:05.678Z'],
  ['soon', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-01-01T25:00:00Z', null],
  ['1960-01-01T00:00:00Z', null],
  [-1, null],
])('the time %j is served as %s, and kept in extra if it is not a time', (updated_at, expected) => {
  const extra = expected === null ? { updated_at } : {};
  expect(skillOf({ name: 'x', updated_at })).toMatchObject({ updated_at: expected, extra });
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
])('the tags %j are served as %j, and kept in extra where one of them is lost', (tags, expected, isKept) => {
  const skill = skillOf({ name: 'x', tags });
  expect(skill.tags).toEqual(expected);
  expect(skill.extra).toEqual(isKept ? { tags } : {});
});

test('an empty list of tags is replaced by a later one', () => {
  expect(skillOf({ name: 'x', tags: [], metadata: { topics: ['t'] } })).toMatchObject({ tags: ['t'], extra: {} });
});

test('counts and flags of the wrong type are kept in extra', () => {
  const extra = { stars: -1, featured: 'yes' };
  expect(skillOf({ name: 'x', ...extra })).toMatchObject({ stars: null, featured: false, extra });
});

const LONG = 'l'.repeat(1_100);
const { id: _id, ...withoutId } = COMPLETE;
test.each([
  ['id_missing', withoutId],
  ['name_missing', { ...COMPLETE, name: undefined }],
  ['description_missing', { ...COMPLETE, description: ' | ' }],
  ['category_missing', { ...COMPLETE, category: null }],
  ['tags_missing', { ...COMPLETE, tags: [] }],
  ['author_from_repository', { ...COMPLETE, author: '', repo: 'o/n' }],
  ['text_cut', { ...COMPLETE, description: 'd'.repeat(8_193) }],
  ['text_cut', { ...COMPLETE, id: LONG }],
  ['text_cut', { ...COMPLETE, name: LONG }],
  ['text_cut', { ...COMPLETE, display_name: LONG }],
  ['text_cut', { ...COMPLETE, category: { name: LONG } }],
  ['text_cut', { ...COMPLETE, tags: ['t', 'l'.repeat(65)] }],
  ['text_cut', { ...COMPLETE, author: LONG }],
  ['text_cut', { ...COMPLETE, license: LONG }],
  ['text_cut', { ...COMPLETE, name: LONG, author: LONG }],
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
])('a record has one warning, %s (case %#)', (code, record) => {
  expect(warningsOf(record)).toEqual({ [code]: 1 });
});

test('a key that is too long for an id has one warning, text_cut', () => {
  const report = new Report();
  normaliseRecord({ index: 0, key: LONG, value: withoutId }, report);
  expect(report.warnings()).toEqual([{ code: 'text_cut', count: 1 }]);
});

test('a complete record has no warnings', () => expect(warningsOf(COMPLETE)).toEqual({}));

test('an unusable record is rejected with its index and code', () => {
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

test('a record with __proto__ pollutes no prototype', () => {
  const evil =
    '{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1},"b":1},"metadata":{"__proto__":{"polluted":1},"m":1}}';
  const skill = skillOf(JSON.parse(evil));
  expect(skill.extra).toEqual({ a: { b: 1 }, metadata: { m: 1 } });
  expect(JSON.stringify(skill)).not.toContain('polluted');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(warningsOf(JSON.parse(evil))).toMatchObject({ key_unsafe: 1 });
});

test('the parts of a huge record are truncated to their limits', () => {
  const record = {
    name: '😀'.repeat(500),
    description: 'd'.repeat(100_000),
    tags: Array.from({ length: 500 }, (_, at) => `${at}${'t'.repeat(80)}`),
    deep: JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
    long: 'l'.repeat(100_000),
    wide: new Array(100_000).fill('w'),
  };
  const { skill, base } = draftOf(record);
  expect([...skill.name]).toHaveLength(200);
  expect(skill.description).toHaveLength(8_192);
  expect(skill.tags.every((tag) => tag.length <= 64)).toBe(true);
  expect(skill.tags.length).toBeLessThanOrEqual(100);
  expect(base.length).toBeLessThanOrEqual(200);
  expect(JSON.stringify(skill.extra).length).toBeLessThan(40_000);
  expect(warningsOf(record)).toMatchObject({ text_cut: 1, extra_cut: 1, tag_unusable: 400 });
});

test('a field that is nested 100,000 deep does not overflow the stack', () => {
  const list = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const object = JSON.parse(`${'{"url":{"name":'.repeat(50_000)}1${'}}'.repeat(50_000)}`);
  for (const name of FIELD_NAMES.filter((field) => field !== 'name')) {
    for (const deep of [list, object]) expect(skillOf({ name: 'x', [name]: deep }).name).toBe('x');
  }
});

test('control characters, paths out of the folder and script URLs are not served', () => {
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

test('a URL or an install command that is too long is not served in part', () => {
  const record = { url: `https://example.com/${'u'.repeat(2_000)}`, install: `run ${'i'.repeat(3_000)}` };
  expect(skillOf({ name: 'x', ...record })).toMatchObject({ source: { url: null }, install: null, extra: record });
});

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

test('any record becomes a skill of the documented shape or is rejected', () => {
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

test('no text of a record is lost: unused values are kept in extra', () => {
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

test('a record of printable ASCII gives the same result on the fast path', () => {
  fc.assert(
    fc.property(record, (value) => {
      const known = normaliseRecord({ index: 0, value, isPlain: true }, new Report());
      expect(known).toEqual(normaliseRecord({ index: 0, value }, new Report()));
    }),
    { numRuns: runs(1_000) },
  );
}, 120_000);
