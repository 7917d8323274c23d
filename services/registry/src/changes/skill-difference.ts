import { HashTable } from '../memory/hash-table.ts';

/** 53-bit hashes by row, to compare two snapshots: of the id, and of the whole served JSON. */
export interface SkillIdentities {
  ids: Float64Array;
  fingerprints: Float64Array;
}

/** Rows of the new snapshot; `removed` has rows of the previous one. */
export interface SkillDifference {
  added: Uint32Array;
  changed: Uint32Array;
  removed: Uint32Array;
}

/** Rows are ascending. Takes a few milliseconds for a hundred thousand skills. */
export function compareSnapshots(previous: SkillIdentities, now: SkillIdentities): SkillDifference {
  const rows = new HashTable(previous.ids.length);
  for (let row = 0; row < previous.ids.length; row++) rows.add(previous.ids[row]!, row);
  const isKept = new Uint8Array(previous.ids.length);
  const isFree = (row: number) => isKept[row] === 0;
  const [added, changed, removed]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < now.ids.length; row++) {
    const before = rows.find(now.ids[row]!, isFree);
    if (before === undefined) added.push(row);
    else {
      isKept[before] = 1;
      if (previous.fingerprints[before] !== now.fingerprints[row]) changed.push(row);
    }
  }
  for (let row = 0; row < isKept.length; row++) if (isFree(row)) removed.push(row);
  return { added: Uint32Array.from(added), changed: Uint32Array.from(changed), removed: Uint32Array.from(removed) };
}
