import type { SkillIdentities } from '../changes/skill-difference.ts';
import { hashBytes, hashId } from '../memory/cyrb53.ts';
import { createSlots, type SkillTableData } from '../skills/skill-table.ts';
import type { MergedSkills } from './merged-skills.ts';
import { writeServed } from './served-json.ts';

export interface SkillRows {
  skills: SkillTableData;
  identities: SkillIdentities;
}

/**
 * Writes the served JSON of the skills whose groups are in `order`. A skill of a single record has the bytes of that.
 */
export function writeRows(skills: MergedSkills, order: Uint32Array): SkillRows {
  const { store, columns } = skills.records;
  const starts = new Uint32Array(order.length);
  const lengths = new Uint32Array(order.length);
  const ids = new Float64Array(order.length);
  const fingerprints = new Float64Array(order.length);
  for (let row = 0; row < order.length; row++) {
    const group = order[row]!;
    const record = skills.firstRecord(group);
    if (skills.hasOneRecord(group) && !skills.isRenamed(group)) {
      starts[row] = columns.start[record]!;
      lengths[row] = columns.length[record]!;
      ids[row] = columns.base[record]!;
      fingerprints[row] = columns.fingerprint[record]!;
    } else {
      const { json } = writeServed(skills.draftOf(group), skills.idOf(group), skills.registriesOf(group));
      const { start, length } = store.write(json);
      starts[row] = start;
      lengths[row] = length;
      ids[row] = hashId(skills.idOf(group));
      fingerprints[row] = hashBytes(store.bytesAt(start, length));
    }
  }
  return {
    skills: { chunks: store.toChunks(), starts, lengths, ...createSlots(ids) },
    identities: { ids, fingerprints },
  };
}
