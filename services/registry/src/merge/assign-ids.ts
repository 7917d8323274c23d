import { hashId } from '../memory/cyrb53.ts';
import { HashTable } from '../memory/hash-table.ts';
import { createOtherIds } from '../skills/ids.ts';
import type { Report } from '../skills/report.ts';
import { compareTexts } from '../skills/text.ts';
import type { MergedSkills } from './merged-skills.ts';

/**
 * Makes ids unique. Of several skills with the same id, the first source keeps it, and within a source the skill with
 * the least identity; the others get a digest appended. So an additional source takes no id from an earlier one, and
 * ids do not depend on the order of the records of a source.
 */
export function assignIds(skills: MergedSkills, report: Report): void {
  const holders = new HashTable(skills.count);
  const contended = new Map<number, number[]>();
  for (let group = 0; group < skills.count; group++) {
    const key = skills.baseHash(group);
    const holder = holders.find(key, (other) => skills.baseOf(other) === skills.baseOf(group));
    if (holder === undefined) holders.add(key, group);
    else if (!contended.get(holder)?.push(group)) contended.set(holder, [holder, group]);
  }
  const isTaken = (id: string) => holders.find(hashId(id), (group) => skills.baseOf(group) === id) !== undefined;
  const toOtherId = createOtherIds(isTaken);
  const renamed = [...contended]
    .map(([holder, group]) => ({ base: skills.baseOf(holder), contenders: contendersOf(skills, group).slice(1) }))
    .sort((a, b) => compareTexts(a.base, b.base))
    .flatMap(({ base, contenders }) =>
      contenders.map(({ group, identity }) => ({ group, id: toOtherId(base, identity) })),
    );
  holders.release();
  for (const { group, id } of renamed) skills.rename(group, id);
  if (renamed.length > 0) report.warn('id_doubled', renamed.length);
}

/** Sorted by source, then identity, then ref, URL and install command, then everything else. */
function contendersOf(skills: MergedSkills, groups: readonly number[]) {
  const { source } = skills.records.columns;
  const contents = new Map<number, string>();
  /** Few skills have the same identity. */
  const contentOf = (group: number) => {
    const known = contents.get(group);
    if (known !== undefined) return known;
    const { skill } = skills.draftOf(group);
    const content = JSON.stringify([skill.source.ref, skill.source.url, skill.install, skill]);
    contents.set(group, content);
    return content;
  };
  const contenders = groups.map((group) => {
    return { group, identity: skills.identityOf(group), rank: source[skills.firstRecord(group)]! };
  });
  return contenders.sort(
    (a, b) =>
      a.rank - b.rank ||
      compareTexts(a.identity, b.identity) ||
      compareTexts(contentOf(a.group), contentOf(b.group)) ||
      a.group - b.group,
  );
}
