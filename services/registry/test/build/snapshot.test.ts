import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { buildSnapshot } from '../../src/build/build.ts';
import type { BuiltSnapshot } from '../../src/build/built-snapshot.ts';
import { foldName } from '../../src/index/words/fold.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { SKILL } from '../../src/skills/skill.ts';
import { SkillTable } from '../../src/skills/skill-table.ts';
import { compareTexts } from '../../src/skills/text.ts';
import { runs } from '../support/property-runs.ts';
import { skillsOf, sourceOf } from './packed-files.ts';

const NAMES = [
  'review',
  'Review',
  'review-code',
  'review code',
  'рецензия',
  '剪口播',
  'a"b\\c',
  'review-code-more',
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

test('a snapshot is a list of skills with the documented fields in the documented order, sorted by name and id', () => {
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

test('a snapshot of the same records has the same bytes', () => {
  fc.assert(
    fc.property(RECORDS, RECORDS, (left, right) => {
      // What is kept for the next build has random seeds, and the hash table by id random factors.
      const contents = ({ records: _, skills, ...served }: BuiltSnapshot) => {
        const { slots: _slots, spread: _spread, ...table } = skills;
        return { ...served, table };
      };
      expect(contents(build(left, right))).toEqual(contents(build(left, right)));
    }),
    { numRuns: runs(30) },
  );
}, 120_000);

test('ids do not depend on the order of records if all have a description', () => {
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

test('an upstream id that is not served is kept in extra', () => {
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

test('a snapshot of thousands of skills is sorted, finds each by id and name, and has the changes since the last', () => {
  const recordsOf = (version: number) => {
    return Array.from({ length: 5_000 }, (_, at) => ({
      id: `skill-${at}`,
      name: `${'same'.repeat(at % 99 === 0 ? 30 : 3)}${((at * 7_919) % 5_000).toString(36)}`,
      stars: at % 3 === 0 ? version : 0,
    }));
  };
  const before = build(recordsOf(1).concat({ id: 'removed', name: 'removed', stars: 1 }));
  const records = recordsOf(2).concat({ id: 'added', name: 'added', stars: 1 });
  const sources = [sourceOf('source 0', records)];
  const built = buildSnapshot({ sources, previous: before });
  const [table, search] = [new SkillTable(built.skills), new SearchEngine(built.search)];
  const names = skillsOf(built).map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  const isFound = ({ id, name }: { id: string; name: string }) => {
    const row = table.rowOf(id);
    return row !== undefined && names[row] === name && search.find({ q: name, skip: 0 }).rows[0] === row;
  };
  expect(records.filter((one) => !isFound(one))).toEqual([]);
  const ids = (from: SkillTable, rows: Uint32Array = new Uint32Array()) => Array.from(rows, (row) => from.idAt(row));
  expect(ids(table, built.difference?.added)).toEqual(['added']);
  const changed = records.filter((_, at) => at % 3 === 0 && at < 5_000).map(({ id }) => id);
  expect(ids(table, built.difference?.changed).sort()).toEqual(changed.sort());
  expect(ids(new SkillTable(before.skills), built.difference?.removed)).toEqual(['removed']);
}, 60_000);

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
