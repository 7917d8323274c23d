import type { SkillIdentities } from '../changes/skill-difference.ts';
import type { Piece } from '../memory/byte-store.ts';
import { hashBytes, hashId } from '../memory/cyrb53.ts';
import type { SkillTableData } from '../skills/skill-table.ts';
import { createSlots } from '../skills/skill-table.ts';
import { NONE } from './collected-records.ts';
import type { MergedSkills } from './merged-skills.ts';
import { writeServed } from './served-json.ts';

/** The served JSON of a skill by row. */
type Pieces = Pick<SkillTableData, 'starts' | 'lengths'>;

export interface SkillRows {
  skills: SkillTableData;
  identities: SkillIdentities;
}

/**
 * Writes the served JSON of the skills whose groups are in `order`. A skill of the build before keeps its bytes, and
 * one of a single record has those of the record.
 */
export function writeRows(skills: MergedSkills, order: Uint32Array, previous: SkillRows | undefined): SkillRows {
  const { store, columns } = skills.records;
  const starts = new Uint32Array(order.length);
  const lengths = new Uint32Array(order.length);
  const ids = new Float64Array(order.length);
  const fingerprints = new Float64Array(order.length);
  for (let row = 0; row < order.length; row++) {
    const group = order[row]!;
    const previousRow = skills.previousRows[group]!;
    const record = skills.firstRecord(group);
    if (previous && previousRow !== NONE) {
      starts[row] = previous.skills.starts[previousRow]!;
      lengths[row] = previous.skills.lengths[previousRow]!;
      ids[row] = previous.identities.ids[previousRow]!;
      fingerprints[row] = previous.identities.fingerprints[previousRow]!;
    } else if (skills.hasOneRecord(group) && !skills.isRenamed(group)) {
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
      fingerprints[row] = hashBytes(store.bytesAt(start, length), 0, length);
    }
    for (const one of skills.recordsOf(group)) columns.row[one] = row;
  }
  const released = clean(skills, order, { starts, lengths });
  return {
    skills: { chunks: store.toChunks(released), starts, lengths, ...createSlots(ids) },
    identities: { ids, fingerprints },
  };
}

/** Moves what is left in sparse and in many small chunks. Returns these chunks. */
function clean(skills: MergedSkills, order: Uint32Array, { starts, lengths }: Pieces): Set<number> {
  const { store, columns } = skills.records;
  const firstOf = (row: number) => skills.firstRecord(order[row]!);
  const isOfRecord = Uint8Array.from(starts, (start, row) => Number(start === columns.start[firstOf(row)]));
  const cleaned = store.chunksToClean(piecesOf(skills, isOfRecord, { starts, lengths }));
  if (cleaned.size === 0) return cleaned;
  const isCleaned = (start: number) => cleaned.has(store.chunkOf(start));
  for (let record = 0; record < columns.count; record++) {
    const start = columns.start[record]!;
    if (!isCleaned(start)) continue;
    columns.start[record] = store.move(start, columns.length[record]! + columns.moreLength[record]!);
  }
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row]!;
    if (!isCleaned(start)) continue;
    starts[row] = isOfRecord[row] === 1 ? columns.start[firstOf(row)]! : store.move(start, lengths[row]!);
  }
  return cleaned;
}

function* piecesOf(skills: MergedSkills, isOfRecord: Uint8Array, { starts, lengths }: Pieces): Generator<Piece> {
  const { columns } = skills.records;
  for (let record = 0; record < columns.count; record++) {
    const length = columns.length[record]! + columns.moreLength[record]!;
    yield { start: columns.start[record]!, length };
  }
  for (let row = 0; row < starts.length; row++) {
    if (isOfRecord[row] === 0) yield { start: starts[row]!, length: lengths[row]! };
  }
}
