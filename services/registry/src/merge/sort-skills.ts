import { firstWhere } from '../index/text-table.ts';
import { foldName } from '../index/words/fold.ts';
import type { SkillTable } from '../skills/skill-table.ts';
import { compareTexts } from '../skills/text.ts';
import { NONE } from './collected-records.ts';
import type { MergedSkills } from './merged-skills.ts';

/**
 * The groups by row: those of listed kinds first, by folded name (code units), then id. Skills of the build before are
 * in order already: the others are merged into them.
 */
export function sortSkills(skills: MergedSkills, previous: SkillTable | undefined): Uint32Array {
  const inOrder = keptInOrder(skills, previous?.count ?? 0);
  const others = sortOthers(skills);
  const sorted = new Uint32Array(skills.count);
  let from = 0;
  for (const [at, group] of others.entries()) {
    const name = skills.records.nameOf(skills.firstRecord(group));
    const to = firstWhere(from, inOrder.length, (place) => isBefore(skills, group, name, inOrder[place]!, previous));
    sorted.set(inOrder.subarray(from, to), from + at);
    sorted[to + at] = group;
    from = to;
  }
  sorted.set(inOrder.subarray(from), from + others.length);
  return sorted;
}

/** The groups that keep their row, in the order of these. */
function keptInOrder({ previousRows }: MergedSkills, count: number): Uint32Array {
  const byRow = new Uint32Array(count).fill(NONE);
  for (let group = 0; group < previousRows.length; group++) {
    if (previousRows[group] !== NONE) byRow[previousRows[group]!] = group;
  }
  return byRow.filter((group) => group !== NONE);
}

/** Whether a skill comes before one of the build before. */
function isBefore(skills: MergedSkills, group: number, name: string, other: number, previous: SkillTable | undefined) {
  const isListed = skills.isListed(group);
  if (isListed !== skills.isListed(other)) return isListed;
  const row = skills.previousRows[other]!;
  const order = compareTexts(name, foldName(previous?.nameAt(row) ?? ''));
  return (order || compareTexts(skills.idOf(group), previous?.idAt(row) ?? '')) < 0;
}

function sortOthers(skills: MergedSkills): Uint32Array {
  const others = skills.previousRows.map((_, group) => group).filter((group) => skills.previousRows[group] === NONE);
  const names = new Map(Array.from(others, (group) => [group, skills.records.nameOf(skills.firstRecord(group))]));
  return others.sort(
    (a, b) =>
      Number(skills.isListed(b)) - Number(skills.isListed(a)) ||
      compareTexts(names.get(a) as string, names.get(b) as string) ||
      compareTexts(skills.idOf(a), skills.idOf(b)),
  );
}
