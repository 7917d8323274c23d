import type { SkillTable } from '../../skills/skill-table.ts';
import { TimeSlice } from '../../time-slice.ts';
import { CodedBody } from '../http/coded-body.ts';
import { digestOf } from '../http/validators.ts';
import { writePage } from './page-json.ts';

/** Skills in a list above which it is compressed at the fastest levels, and not kept uncompressed. */
export const MANY_SKILLS = 10_000;
/** Rows between two checks of the time slice. */
const ROWS_PER_CHECK = 64;

/** The list of the first `count` skills: all that are listed by default. */
export function createListBody(skills: SkillTable, count: number, fingerprints: Float64Array): CodedBody {
  const isLarge = count > MANY_SKILLS;
  const digest = digestOf(fingerprints.subarray(0, count));
  return new CodedBody({
    digest: () => digest,
    read: () => writePage(skills, { rows: firstRows(count), fields: undefined, facetsJson: undefined }),
    length: () => measureList(skills, count),
    level: isLarge ? 'large' : 'small',
    isKept: !isLarge,
  });
}

function firstRows(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

/** The number of bytes with brackets and commas. */
async function measureList(skills: SkillTable, count: number): Promise<number> {
  const slice = new TimeSlice();
  let bytes = Math.max(2, count + 1);
  for (let row = 0; row < count; row++) {
    bytes += skills.jsonAt(row).length;
    if (row % ROWS_PER_CHECK === 0 && slice.isOver()) await slice.next();
  }
  return bytes;
}
