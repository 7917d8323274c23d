import { ID_MEMBER, type SkillTableData } from '../skills/skill-table.ts';
import { hashBytes } from './cyrb53.ts';
import type { SkillIdentities } from './skill-identities.ts';

const QUOTE = 0x22;

/** What snapshots are compared by, from the list that is served. */
export function identifySkills({ list, offsets }: Pick<SkillTableData, 'list' | 'offsets'>): SkillIdentities {
  const count = offsets.length - 1;
  const ids = new Float64Array(count);
  const fingerprints = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    const start = offsets[row] as number;
    const idStart = start + ID_MEMBER.length;
    ids[row] = hashBytes(list, idStart, list.indexOf(QUOTE, idStart));
    fingerprints[row] = hashBytes(list, start, (offsets[row + 1] as number) - 1);
  }
  return { ids, fingerprints };
}
