import { rowsOf } from '../index/numbers.ts';
import { compareTexts } from '../skills/text.ts';
import type { MergedSkills } from './merged-skills.ts';

/** The groups by row: those of listed kinds first, by folded name (code units), then id. */
export function sortSkills(skills: MergedSkills): Uint32Array {
  const groups = rowsOf(skills.count);
  const names = Array.from(groups, (group) => skills.records.nameOf(skills.firstRecord(group)));
  return groups.sort(
    (a, b) =>
      Number(skills.isListed(b)) - Number(skills.isListed(a)) ||
      compareTexts(names[a]!, names[b]!) ||
      compareTexts(skills.idOf(a), skills.idOf(b)),
  );
}
