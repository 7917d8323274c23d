import fc from 'fast-check';
import type { SearchIndexData } from '../../src/index/index-data.ts';
import { type SearchableSkill, writeIndex } from '../../src/index/index-writer.ts';
import { SearchEngine } from '../../src/search/engine.ts';
import { isListed } from '../../src/skills/skill.ts';

export interface SkillParts extends Partial<Omit<SearchableSkill, 'source'>> {
  repo?: string | null;
}

/** Creates a skill with these fields; the others are empty. */
export function createSkill({ repo = null, ...parts }: SkillParts): SearchableSkill {
  const name = parts.name ?? 'nameless';
  return {
    name,
    display_name: name,
    description: '',
    kind: 'skill',
    categories: [],
    tags: [],
    author: null,
    source: { repo, path: null, ref: null, url: null },
    license: null,
    valid: true,
    stars: null,
    downloads: null,
    updated_at: null,
    ...parts,
  };
}

/** The index of skills, whose rows are in the given order: those of listed kinds first. */
export function createIndex(skills: readonly SearchableSkill[]): SearchIndexData {
  const listed = skills.filter(({ kind }) => isListed(kind)).length;
  return writeIndex({ count: skills.length, skillAt: (row) => skills[row] as SearchableSkill }, listed);
}

export function createEngine(skills: readonly SkillParts[]): SearchEngine {
  return new SearchEngine(createIndex(skills.map(createSkill)));
}

/** Few letters, so that random words are often equal, share a prefix or differ by one letter. */
const word = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom('数', '据', '分', 'か', '𠀀'), minLength: 1, maxLength: 4 }),
  },
  { weight: 2, arbitrary: fc.constantFrom('create', 'creates', 'creating', 'test', 'tests', 'the', 'how', 'skill') },
  { weight: 1, arbitrary: fc.constantFrom('c++', 'C#', '.net', 'b.js', 'cpp', 'bjs', 'js') },
  { weight: 1, arbitrary: fc.constantFrom('É', 'ﬁ', 'ab1', '🙂', 'Ω', 'ЖЖ', 'が', 'naïve', '9') },
);

const text = (maxLength: number) =>
  fc
    .array(fc.tuple(word, fc.constantFrom(' ', '-', '_', '/', '.', ', ', '')), { minLength: 1, maxLength })
    .map((parts) => parts.flat().join(''));

const label = fc.constantFrom('Ann', 'ann', 'Bo', 'abc', 'ABC', 'a-b', 'Çé', 'c\u0327E\u0301');
const count = fc.option(fc.nat({ max: 3 }), { nil: null });

export const anySkill: fc.Arbitrary<SearchableSkill> = fc
  .record({
    name: text(3),
    display_name: text(3),
    description: text(6),
    kind: fc.constantFrom('skill', 'skill', 'plugin', 'agent', 'hook'),
    categories: fc.uniqueArray(fc.constantFrom('abc', 'ccc', 'data'), { maxLength: 2 }),
    tags: fc.array(label, { maxLength: 3 }),
    author: fc.option(label, { nil: null }),
    repo: fc.option(fc.constantFrom('ann/abc', 'Bo/b', 'bo/B'), { nil: null }),
    license: fc.option(fc.constantFrom('MIT', 'mit', 'Apache-2.0'), { nil: null }),
    valid: fc.boolean(),
    stars: count,
    downloads: count,
    updated_at: fc.option(fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'), { nil: null }),
  })
  .map((parts) => createSkill(parts));

export const skillText = text(5);
