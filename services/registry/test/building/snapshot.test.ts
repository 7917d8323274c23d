import { hash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { buildSnapshot } from '../../src/building/build.ts';
import type { BuiltSnapshot } from '../../src/building/built-snapshot.ts';
import { buffersOf } from '../../src/building/transferables.ts';
import { foldName } from '../../src/search/fold.ts';
import { SKILL } from '../../src/skills/skill.ts';
import { SkillTable } from '../../src/skills/skill-table.ts';
import { compareTexts } from '../../src/skills/text.ts';
import { runs } from '../property-runs.ts';
import { filesOf, skillsOf, sourceOf, textOf } from './packed-files.ts';

const NAMES = [
  'review',
  'Review',
  'review-code',
  'review code',
  'рецензия',
  '剪口播',
  'a"b\\c',
  'review-code-and-more-of-it',
  '😀 smile',
];
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const RECORD = fc.record({
  name: fc.constantFrom(...NAMES),
  id: optional(fc.constantFrom('one', 'a/b', 'a~b', 'b', 'x'.repeat(300), '剪口播')),
  slug: optional(fc.constantFrom('one', 7)),
  repo: optional(fc.constantFrom('owner/tools', 'Owner/Tools', 'other/tools')),
  path: optional(fc.constantFrom('a', 'b', '')),
  description: optional(fc.oneof(fc.constantFrom('Reviews ",\\"extra\\":{ code', ',"extra":{', ''), fc.string())),
  category: optional(fc.constantFrom('Quality', 'QUALITY', 'else')),
  tags: optional(fc.array(fc.constantFrom('git', 'GIT', 'extra', 'odd'), { maxLength: 3 })),
  digest: optional(fc.constantFrom(`sha256:${'0'.repeat(64)}`)),
  stars: optional(fc.nat(100)),
  more: optional(fc.jsonValue()),
});
const RECORDS = fc.array(RECORD, { minLength: 1, maxLength: 40 });
const build = (...contents: unknown[]) =>
  buildSnapshot({ sources: contents.map((content, at) => sourceOf(`source ${at}`, content)) });
const STRICT_SKILLS = z.array(z.strictObject(SKILL.shape));

test('a snapshot of any records is a list of skills in the documented shape, its members in the documented order, by name and id', () => {
  fc.assert(
    fc.property(RECORDS, RECORDS, (left, right) => {
      const built = build(left, right);
      const skills = STRICT_SKILLS.parse(skillsOf(built));
      for (const skill of skillsOf(built)) expect(Object.keys(skill)).toEqual(Object.keys(SKILL.shape));
      const sorted = skills.toSorted(
        (a, b) => compareTexts(foldName(a.name), foldName(b.name)) || compareTexts(a.id, b.id),
      );
      expect(skills.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
      expect(new Set(skills.map(({ id }) => id)).size).toBe(skills.length);
      expect(built.counts.skills).toBe(skills.length);
      expect(built.report.duplicates.count).toBe(left.length + right.length - skills.length);
      expectTable(built, skills);
    }),
    { numRuns: runs(60) },
  );
}, 120_000);

test('a snapshot of any records is the same, byte for byte, each time it is built', () => {
  fc.assert(
    fc.property(RECORDS, RECORDS, (left, right) => {
      expect(build(left, right)).toEqual(build(left, right));
    }),
    { numRuns: runs(30) },
  );
}, 120_000);

test('a snapshot of any records has the same ids in whatever order a source has its records, if all are described', () => {
  const described = fc
    .tuple(RECORD, fc.constantFrom('Reviews code', 'Sings songs'))
    .map(([record, description]) => ({ ...record, description }));
  const shuffled = fc
    .array(described, { minLength: 1, maxLength: 40 })
    .chain((records) => fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })));
  fc.assert(
    fc.property(shuffled, ([records, others]) => {
      const ids = (list: unknown[]) => skillsOf(build(list)).map(({ id }) => id);
      expect(ids(others).toSorted()).toEqual(ids(records).toSorted());
    }),
    { numRuns: runs(100) },
  );
}, 120_000);

test('a snapshot of any records gives skills of one name the same id each in whatever order a source has them', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ path: fc.nat(99), stars: fc.nat(9) }), { selector: ({ path }) => path, minLength: 1 }),
      (places) => {
        const records = places.map(({ path, stars }) => ({
          name: 'same',
          repo: 'owner/tools',
          path: `${path}`,
          stars,
        }));
        const byPath = (list: unknown[]) => new Map(skillsOf(build(list)).map(({ source, id }) => [source.path, id]));
        const sorted = (map: Map<unknown, unknown>) => [...map].sort();
        expect(sorted(byPath(records.toReversed()))).toEqual(sorted(byPath(records)));
      },
    ),
    { numRuns: runs(60) },
  );
}, 120_000);

test('a snapshot of any records holds the id of upstream in `extra` where it is another', () => {
  const built = build([
    { id: 'a/b', name: 'one', more: 1 },
    { id: 'plain', name: 'two' },
    { id: 'plain', name: 'three' },
    { id: ['odd'], slug: 'five', name: 'five' },
  ]);
  const extras = Object.fromEntries(skillsOf(built).map(({ id, extra }) => [id, extra]));
  const other = Object.keys(extras).find((id) => id.startsWith('plain~')) as string;
  expect(extras).toMatchObject({
    'a~b': { id: 'a/b', more: 1 },
    plain: {},
    [other]: { id: 'plain' },
    five: { id: ['odd'] },
  });
  expect(extras.plain).toEqual({});
});

const digest = `sha256:${'ab'.repeat(32)}`;
const record = { name: 'review', description: 'Reviews code', repo: 'owner/tools', path: 'skills/review' };

test('the bodies of a snapshot say the same in every coding, and are named by what they hold', () => {
  const { bodies, skills } = build([record]);
  for (const body of Object.values(bodies)) {
    expect(gunzipSync(body.gzip)).toEqual(Buffer.from(body.identity));
    expect(brotliDecompressSync(body.br)).toEqual(Buffer.from(body.identity));
    expect(body.digest).toBe(hash('sha256', body.identity).slice(0, 32));
  }
  expect(bodies.list.identity).toBe(skills.list);
});

test('the bodies of a snapshot hold the well-known index of the skills that have a digest', () => {
  const { bodies } = build([
    { ...record, digest },
    { ...record, name: 'other' },
  ]);
  expect(JSON.parse(textOf(bodies.wellKnown.identity))).toMatchObject({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [{ name: 'review', digest }],
  });
});

test.each([
  ['one of its content', { contentHash: digest, readme: 'x'.repeat(9_000), content: 'x'.repeat(9_000) }],
  ['more files', { digest, files: ['SKILL.md', 'run.sh'] }],
])('the bodies of a snapshot which has none with %s, also where that comes from another source', (_what, said) => {
  const wellKnown = ({ bodies }: BuiltSnapshot) => JSON.parse(textOf(bodies.wellKnown.identity)).skills;
  const first = { ...record, hash: 'abc', files: ['SKILL.md'], metadata: { team: 'a' } };
  expect(wellKnown(build([{ ...record, ...said }]))).toEqual([]);
  const merged = build([first], [{ ...record, ...said }]);
  expect(skillsOf(merged)).toMatchObject([{ digest, registries: ['source 0', 'source 1'] }]);
  expect(wellKnown(merged)).toEqual([]);
  expect(wellKnown(build([first], [{ ...record, digest }]))).toMatchObject([{ digest }]);
});

test('the bodies of a snapshot and the file of a source in br', () => {
  const { registryBr } = build([record]);
  expect(JSON.parse(brotliDecompressSync(registryBr[0] as Uint8Array).toString())).toEqual([record]);
});

test('the bodies of a snapshot can all move to another thread', () => {
  const files = filesOf([record]);
  const sources = [{ label: 'a', files, isAccepted: false }];
  const built = buildSnapshot({ sources, previous: buildSnapshot({ sources }).identities });
  const expected = structuredClone(built);
  expect(structuredClone(built, { transfer: buffersOf(built) })).toEqual(expected);
  expect(built.bodies.list.br.byteLength).toBe(0);
  expect(built.search.updated.values.byteLength).toBe(0);
});

test('what changed is found against the snapshot before', () => {
  const before = build([{ name: 'kept' }, { name: 'changed', stars: 1 }, { name: 'removed' }]);
  const sources = [sourceOf('source 0', [{ name: 'kept' }, { name: 'changed', stars: 2 }, { name: 'added' }])];
  const { difference, skills } = buildSnapshot({ sources, previous: before.identities });
  const names = (table: SkillTable, rows: Uint32Array = new Uint32Array()) =>
    Array.from(rows, (row) => table.idAt(row));
  expect(names(new SkillTable(skills), difference?.added)).toEqual(['added']);
  expect(names(new SkillTable(skills), difference?.changed)).toEqual(['changed']);
  expect(names(new SkillTable(before.skills), difference?.removed)).toEqual(['removed']);
});

function expectTable({ skills: data, search }: BuiltSnapshot, skills: { id: string }[]) {
  const table = new SkillTable(data);
  expect(table.count).toBe(skills.length);
  expect(search.count).toBe(skills.length);
  for (const [row, skill] of skills.entries()) {
    expect(JSON.parse(table.jsonAt(row).toString())).toEqual(skill);
    expect(table.idAt(row)).toBe(skill.id);
    expect(table.rowOf(skill.id)).toBe(row);
  }
}
