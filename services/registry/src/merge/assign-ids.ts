import { createOtherIds } from '../skills/ids.ts';
import type { Report } from '../skills/report.ts';
import { compareTexts } from '../skills/text.ts';
import type { CollectedSkills } from './collected-skills.ts';
import { hashBytes } from './cyrb53.ts';
import { HashTable } from './hash-table.ts';

/**
 * Makes ids unique. Of several records with the same id, the first source keeps it, and within a source the record with
 * the least identity; the others get a digest appended. So an additional source takes no id from an earlier one, and
 * ids do not depend on the order of the records of a source.
 */
export function assignIds(skills: CollectedSkills, report: Report): void {
  const holders = new HashTable(skills.count);
  const contended = new Map<number, number[]>();
  for (let record = 0; record < skills.count; record++) {
    const key = keyOf(skills, record);
    const holder = holders.find(key, (other) => skills.compareIds(record, other) === 0);
    if (holder === undefined) holders.add(key, record);
    else if (!contended.get(holder)?.push(record)) contended.set(holder, [holder, record]);
  }
  const isTaken = (id: string) =>
    holders.find(hashBytes(Buffer.from(id), 0, id.length), (record) => skills.idOf(record) === id) !== undefined;
  const toOtherId = createOtherIds(isTaken);
  // Computes all new ids before it changes any: `isTaken` reads the original ids.
  const renamed = [...contended]
    .map(([holder, group]) => ({ base: skills.idOf(holder), group }))
    .sort((a, b) => compareTexts(a.base, b.base))
    .flatMap(({ base, group }) =>
      contendersOf(skills, group)
        .slice(1)
        .map(({ record, identity }) => ({ record, id: toOtherId(base, identity) })),
    );
  for (const { record, id } of renamed) skills.rename(record, id);
  if (renamed.length > 0) report.warn('id_doubled', renamed.length);
}

/** Sorted by source, then identity, then version and address, then the rest of their content. */
function contendersOf(skills: CollectedSkills, group: readonly number[]) {
  const { registries, columns } = skills;
  const contenders = group.map((record) => {
    const { source, install } = skills.skillOf(record);
    const rank = registries.firstOf(columns.registries[record] as number) ?? 0;
    const rest = JSON.stringify([source.ref, source.url, install]);
    return { record, identity: skills.identityOf(record), rank, rest };
  });
  return contenders.sort(
    (a, b) =>
      a.rank - b.rank ||
      compareTexts(a.identity, b.identity) ||
      compareTexts(a.rest, b.rest) ||
      skills.compareJson(a.record, b.record) ||
      a.record - b.record,
  );
}

function keyOf({ store, columns }: CollectedSkills, record: number): number {
  const start = columns.idStart[record] as number;
  const offset = store.offsetOf(start);
  return hashBytes(store.chunkOf(start), offset, offset + (columns.idLength[record] as number));
}
