import { OtherIds } from '../skills/ids.ts';
import type { Report } from '../skills/report.ts';
import { compareTexts } from '../skills/text.ts';
import type { CollectedSkills } from './collected-skills.ts';
import { hashBytes } from './cyrb53.ts';
import { HashTable } from './hash-table.ts';

interface Contender {
  record: number;
  identity: string;
}

/**
 * Makes ids unique. Of several records with the same one that of the first source keeps it, and of its records that
 * with the least identity; the others get a digest of theirs. So a source that is added takes no id from one before it,
 * nor do ids depend on the order of one's records.
 */
export function assignIds(skills: CollectedSkills, report: Report): void {
  const holders = new HashTable(skills.count);
  const contended = new Map<number, number[]>();
  for (let record = 0; record < skills.count; record++) {
    const key = keyOf(skills, record);
    const holder = holders.find(key, (other) => skills.compareIds(record, other) === 0);
    if (holder === undefined) holders.add(key, record);
    else (contended.get(holder) ?? startGroup(contended, holder)).push(record);
  }
  const isTaken = (id: string) =>
    holders.find(hashBytes(Buffer.from(id), 0, id.length), (record) => skills.idOf(record) === id) !== undefined;
  const others = new OtherIds(isTaken);
  // All are decided before any id is changed: `isTaken` looks at the ids by right.
  const renamed = [...contended]
    .map(([holder, group]) => ({ base: skills.idOf(holder), group }))
    .sort((a, b) => compareTexts(a.base, b.base))
    .flatMap(({ base, group }) =>
      contendersOf(skills, group)
        .slice(1)
        .map(({ record, identity }) => ({ record, id: others.claim(base, identity) })),
    );
  for (const { record, id } of renamed) skills.rename(record, id);
  if (renamed.length > 0) report.warn('id_doubled', renamed.length);
}

function startGroup(contended: Map<number, number[]>, holder: number): number[] {
  const group = [holder];
  contended.set(holder, group);
  return group;
}

/**
 * By their source, then by identity; those of the same are told apart by their version and address, then by the rest of
 * what they say.
 */
function contendersOf(skills: CollectedSkills, group: readonly number[]): Contender[] {
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
