import { compareSnapshots, type SkillIdentities } from '../changes/skill-difference.ts';
import type { SearchIndexData } from '../index/index-data.ts';
import { writeIndex } from '../index/index-writer.ts';
import { indexOfText, textAt } from '../index/text-table.ts';
import { keyOf } from '../index/words/fold.ts';
import { assignIds } from '../merge/assign-ids.ts';
import type { CategoryNames } from '../merge/category-names.ts';
import { groupRecords } from '../merge/group-records.ts';
import { MergedSkills } from '../merge/merged-skills.ts';
import { writeRows } from '../merge/skill-rows.ts';
import { sortSkills } from '../merge/sort-skills.ts';
import type { Categories } from '../skills/category.ts';
import { SkillTable } from '../skills/skill-table.ts';
import { compareTexts } from '../skills/text.ts';
import type { BuildInput, BuildReport, BuiltSnapshot } from './built-snapshot.ts';
import type { Collector } from './read-files.ts';
import { collectSources, SourceChoice } from './source-choice.ts';

/** Maximum number of listed tags. */
const MAX_TAGS = 10_000;
const MAX_DUPLICATE_IDS = 100;

/**
 * Builds a snapshot from the files of all sources. The same files give the same skills and the same search index on
 * every machine; unchanged records are taken over from `previous`. Takes seconds of CPU time for a hundred thousand new
 * skills: see `Builder`.
 * @throws NoUsableSource
 * @throws Error for damaged documents
 */
export function buildSnapshot({ sources, previous: before, isAnew = false }: BuildInput): BuiltSnapshot {
  const previous = isAnew ? undefined : before;
  const choices = sources.map((source) => new SourceChoice(source));
  const collector = collectSources(choices, previous?.records);
  const { records, report } = collector;
  const skills = new MergedSkills(records, groupRecords(records.columns));
  assignIds(skills, report);
  const order = sortSkills(skills);
  const rows = writeRows(skills, order);
  const listed = order.reduce((count, group) => count + Number(skills.isListed(group)), 0);
  const search = writeIndex(new SkillTable(rows.skills), listed);
  const categories = listCategories(records.categories, search);
  records.columns.trim();
  return {
    ...rows,
    search,
    records: {
      seeds: records.seeds,
      chunks: rows.skills.chunks,
      columns: { ...records.columns },
      warnings: records.warnings.sets,
      categories: records.lists.lists,
    },
    difference:
      before && compareSnapshots(listedOf(before.identities, before.counts.skills), listedOf(rows.identities, listed)),
    categories: new TextEncoder().encode(JSON.stringify(categories)),
    counts: {
      skills: listed,
      categories: categories.categories.length,
      tags: search.tags.listedCounts.filter(Boolean).length,
    },
    report: toReport(choices, collector, skills),
  };
}

function listedOf({ ids, fingerprints }: SkillIdentities, listed: number): SkillIdentities {
  return { ids: ids.subarray(0, listed), fingerprints: fingerprints.subarray(0, listed) };
}

function toReport(choices: readonly SourceChoice[], { report, records }: Collector, skills: MergedSkills): BuildReport {
  records.warnings.count(records.columns.warnings, records.count, report);
  const merged: number[] = [];
  for (let group = 0; group < skills.count; group++) if (!skills.hasOneRecord(group)) merged.push(group);
  const count = records.count - skills.count;
  if (count > 0) report.warn('duplicate_merged', count);
  return {
    sources: choices.map((choice) => choice.report()),
    rejectedCount: report.rejectedCount,
    rejected: report.rejected,
    rejections: report.rejections(),
    warnings: report.warnings(),
    duplicates: { count, ids: merged.slice(0, MAX_DUPLICATE_IDS).map((group) => skills.idOf(group)) },
  };
}

/** With the counts of the search index. */
function listCategories(names: CategoryNames, { categories, tags }: SearchIndexData): Categories {
  const listed = Array.from(tags.listedCounts, (count, at) => ({ count, at })).filter(({ count }) => count > 0);
  return {
    categories: names.list((id) => categories.listedCounts[indexOfText(categories.keys, keyOf(id))] ?? 0),
    tags: listed
      .map(({ count, at }) => ({ name: textAt(tags.spellings, at), count }))
      .sort((a, b) => b.count - a.count || compareTexts(a.name, b.name))
      .slice(0, MAX_TAGS),
  };
}
