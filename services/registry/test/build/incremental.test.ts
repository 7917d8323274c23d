import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSnapshot } from '../../src/build/build.ts';
import type { BuildSource, BuiltSnapshot } from '../../src/build/built-snapshot.ts';
import { shareArrays } from '../../src/memory/arrays.ts';
import { SkillTable } from '../../src/skills/skill-table.ts';
import { runs } from '../support/property-runs.ts';
import { filesOf, sourceOf } from './packed-files.ts';

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** Few values, so that records are often the same skill, share an id or a label, or repeat each other. */
const record = fc.record({
  name: fc.constantFrom('review', 'Review', 'review-code', 'a"b\\c', '剪口播', 'sing', 'zeta'),
  id: optional(fc.constantFrom('one', 'a/b', 'a~b', 'b')),
  display_name: optional(fc.constantFrom('Review', 'SING', 'zeta two')),
  type: optional(fc.constantFrom('agent', 'skill')),
  repo: optional(fc.constantFrom('owner/tools', 'Owner/Tools', 'other/tools', 'https://gitlab.com/owner/tools')),
  path: optional(fc.constantFrom('a', 'b', '')),
  description: optional(fc.constantFrom('Reviews code', 'Sings', '')),
  category: optional(fc.constantFrom('Quality', 'QUALITY', 'else', 'cq')),
  tags: optional(fc.array(fc.constantFrom('git', 'GIT', 'extra', 'Git'), { maxLength: 3 })),
  author: optional(fc.constantFrom('Ann', 'ANN', 'Bo')),
  license: optional(fc.constantFrom('MIT', 'mit')),
  digest: optional(fc.constantFrom(`sha256:${'0'.repeat(64)}`)),
  stars: optional(fc.nat(3)),
  more: optional(fc.constantFrom(1, 'two')),
});
const bad = fc.constantFrom(7, null, { description: 'no name' });
const records = fc.array(fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: bad }), { maxLength: 12 });
const declared = fc.constantFrom(undefined, [{ id: 'quality', name: 'Quality' }], [{ id: 'cq', name: 'Quality' }]);
const file = fc.tuple(records, declared).map(([skills, categories]) => ({ categories, skills }));

/** The editions of one to three sources, one after another. An edition changes, removes, adds and moves records. */
const histories = fc
  .array(fc.array(file, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 5 })
  .chain((editions) => {
    const mixed = editions.map((sources, at) =>
      fc.tuple(...sources.map((one, source) => mix(one, editions[at - 1]?.[source]))),
    );
    return fc.tuple(fc.integer({ min: 1, max: 3 }), fc.tuple(...mixed));
  });

type RegistryFile = { categories: unknown; skills: unknown[] };

/** Most records of the edition before, in their order or another one, with some of the new ones. */
function mix(next: RegistryFile, before: RegistryFile | undefined): fc.Arbitrary<RegistryFile> {
  const kept = fc.oneof(
    fc.subarray(before?.skills ?? []),
    fc.shuffledSubarray(before?.skills ?? []),
    fc.constant(before?.skills ?? []),
  );
  return kept.map((skills) => ({ ...next, skills: [...skills, ...next.skills.slice(0, before ? 3 : undefined)] }));
}

function toSources(
  files: readonly RegistryFile[],
  previous: BuiltSnapshot | undefined,
  before?: readonly RegistryFile[],
): BuildSource[] {
  return files.map((content, at) => {
    const skills = previous?.report.sources[at]?.skills;
    const fallback = before?.[at] === undefined ? undefined : filesOf(before[at]);
    return sourceOf(`source ${at}`, content, { previousSkills: skills, fallback, isAccepted: before === undefined });
  });
}

/** Everything that is served of a snapshot, and its index. */
function contentsOf({ skills, search, identities, categories, counts, report }: BuiltSnapshot) {
  const table = new SkillTable(skills);
  const list = Array.from({ length: table.count }, (_, row) => table.jsonAt(row).toString());
  return {
    list,
    rows: list.map((json) => table.rowOf(JSON.parse(json).id)),
    search,
    identities,
    categories: Buffer.from(categories).toString(),
    counts,
    report,
  };
}

test('a snapshot built on the one before is the same as one built anew, for any editions, merges and refusals', () => {
  fc.assert(
    fc.property(histories, ([count, editions]) => {
      let previous: BuiltSnapshot | undefined;
      let served: readonly RegistryFile[] | undefined;
      for (const edition of editions) {
        const files = (edition as RegistryFile[]).slice(0, count);
        const sources = toSources(files, previous, served);
        let anew: BuiltSnapshot;
        try {
          anew = buildSnapshot({ sources });
        } catch {
          expect(() => buildSnapshot({ sources, previous })).toThrow();
          continue;
        }
        const built = buildSnapshot({ sources, previous });
        shareArrays(built);
        expect(contentsOf(built)).toEqual(contentsOf(anew));
        previous = structuredClone(built);
        served = files.map((one, at) => (anew.report.sources[at]?.refused ? (served?.[at] ?? one) : one));
      }
    }),
    { numRuns: runs(2_000) },
  );
}, 300_000);
