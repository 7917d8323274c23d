import { assignIds } from '../merge/assign-ids.ts';
import type { CollectedSkills } from '../merge/collected-skills.ts';
import { SkillCollector } from '../merge/skill-collector.ts';
import { sortRecords } from '../merge/sort-records.ts';
import type { Categories } from '../serve/categories/contract.ts';
import type { BuildReport, BuiltSnapshot } from './built-snapshot.ts';
import { NoUsableSource } from './no-usable-source.ts';
import type { SourceChoice } from './source-choice.ts';

export interface CollectedSources extends Pick<BuiltSnapshot, 'search' | 'counts' | 'report'> {
  skills: CollectedSkills;
  /** By row. */
  records: Uint32Array;
  categories: Categories;
}

/** Reads all sources. @throws NoUsableSource */
export function collectSources(choices: readonly SourceChoice[]): CollectedSources {
  const collector = readAll(choices);
  const { skills, categories, report } = collector;
  assignIds(skills, report);
  const records = sortRecords(skills);
  const search = collector.finishIndex(records);
  return {
    skills,
    records,
    search,
    categories: categories.list(),
    counts: { skills: search.listed, ...categories.counts },
    report: toReport(choices, collector),
  };
}

/** Starts again when files are refused, so that nothing of them remains. */
function readAll(choices: readonly SourceChoice[]): SkillCollector {
  while (choices.some(({ files }) => files !== undefined)) {
    const collector = new SkillCollector();
    if (choices.every((choice, index) => choice.read(index, collector))) return collector;
    collector.skills.store.releaseAll();
  }
  throw new NoUsableSource(choices.map(({ refused }) => refused));
}

function toReport(
  choices: readonly SourceChoice[],
  { report, skills, merged, mergedCount }: SkillCollector,
): BuildReport {
  return {
    sources: choices.map((choice) => choice.report()),
    rejectedCount: report.rejectedCount,
    rejected: report.rejected,
    rejections: report.rejections(),
    warnings: report.warnings(),
    duplicates: { count: mergedCount, ids: Array.from(merged, (record) => skills.idOf(record)) },
  };
}
