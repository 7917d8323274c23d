import { compareSnapshots, identifySkills } from '../merge/skill-identities.ts';
import { createSlots, type SkillTableData } from '../skills/skill-table.ts';
import type { BuildInput } from './build-input.ts';
import type { BuiltSnapshot } from './built-snapshot.ts';
import { collectAtOnce } from './collect-garbage.ts';
import { collectSources } from './collect-sources.ts';
import { SourceChoice } from './source-choice.ts';
import { writeList } from './write-list.ts';

/** The search index leaves 0.5 KB of garbage per skill. A collection (50 ms) frees it before the list is written. */
const MANY_SKILLS = 20_000;

/**
 * Builds a snapshot from the files of all sources. The same input gives the same bytes on every machine. Takes seconds
 * of CPU time for a hundred thousand skills: see `Builder`.
 * @throws NoUsableSource
 * @throws Error for damaged documents
 */
export function buildSnapshot({ sources, previous }: BuildInput): BuiltSnapshot {
  const choices = sources.map((source) => new SourceChoice(source));
  const collected = collectSources(choices);
  if (collected.records.length > MANY_SKILLS) collectAtOnce();
  const labels = sources.map(({ label }) => label);
  const written = writeList(collected.skills, collected.records, labels);
  const skills: SkillTableData = { ...written, slots: createSlots(written.list, written.offsets) };
  const identities = identifySkills(skills);
  const { search, counts, report } = collected;
  return {
    skills,
    search,
    identities,
    difference: previous && compareSnapshots(previous, identities),
    categories: new TextEncoder().encode(JSON.stringify(collected.categories)),
    counts,
    report,
  };
}
