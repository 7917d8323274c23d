import type { CollectedSkills } from '../merge/collected-skills.ts';
import { ID_MEMBER } from '../skills/skill-table.ts';

const ID_START = Buffer.from(ID_MEMBER);
const ID_END = Buffer.from('",');
/** Start of the tail of each record. */
const EXTRA_START_BYTES = Buffer.byteLength(',"extra":{');
const EMPTY_TAIL_BYTES = EXTRA_START_BYTES + 2;
const EXTRA_ID = Buffer.from('"id":');
const COMMA = 0x2c;

/** Writes the list of all skills in the order of `records` (see `SkillTableData`). Frees the texts of `skills`. */
export function writeList(
  skills: CollectedSkills,
  records: Uint32Array,
  labels: readonly string[],
): { list: Uint8Array; offsets: Uint32Array } {
  const registries = skills.registries.toJson(labels);
  const hasUpstreamId = Uint8Array.from(records, (record) => Number(needsUpstreamId(skills, record)));
  const offsets = new Uint32Array(records.length + 1);
  offsets[0] = 1;
  for (let row = 0; row < records.length; row++) {
    const bytes = sizeOf(skills, records[row] as number, registries, hasUpstreamId[row] === 1);
    offsets[row + 1] = (offsets[row] as number) + bytes + 1;
  }
  // An empty list has two brackets.
  const list = Buffer.from(new ArrayBuffer(Math.max(2, offsets.at(-1) as number)));
  // Unlisted records follow after all lanes.
  const areListed = records.every((record) => skills.columns.isListed[record] === 1);
  for (let row = 0, lane = areListed ? 1 : Number.POSITIVE_INFINITY; row < records.length; row++) {
    for (const last = skills.laneOf(records[row] as number); lane < last; lane++) skills.store.release(lane);
    list[(offsets[row] as number) - 1] = COMMA;
    writeSkill(skills, records[row] as number, registries, hasUpstreamId[row] === 1, list, offsets[row] as number);
  }
  list[0] = 0x5b;
  list[list.length - 1] = 0x5d;
  skills.store.releaseAll();
  return { list: new Uint8Array(list.buffer), offsets };
}

/** Whether `extra` gets the id from upstream: if it differs from the skill's id, and `extra` has no own `id`. */
function needsUpstreamId({ store, columns }: CollectedSkills, record: number): boolean {
  const length = columns.upstreamLength[record] as number;
  if (length === 0 || columns.hasExtraId[record] === 1) return false;
  const idLength = columns.idLength[record] as number;
  const start = columns.idStart[record] as number;
  // The id from upstream is stored with quotes.
  return store.compare(start, idLength, (columns.upstreamStart[record] as number) + 1, length - 2) !== 0;
}

function sizeOf(
  { columns }: CollectedSkills,
  record: number,
  registries: Uint8Array[],
  hasUpstreamId: boolean,
): number {
  const tail = columns.tailLength[record] as number;
  const separator = tail === EMPTY_TAIL_BYTES ? 0 : 1;
  return (
    ID_START.length +
    (columns.idLength[record] as number) +
    ID_END.length +
    ((columns.headLength[record] as number) - 1) +
    (registries[columns.registries[record] as number] as Uint8Array).length +
    tail +
    (hasUpstreamId ? EXTRA_ID.length + (columns.upstreamLength[record] as number) + separator : 0)
  );
}

function writeSkill(
  { store, columns }: CollectedSkills,
  record: number,
  registries: Uint8Array[],
  hasUpstreamId: boolean,
  list: Buffer,
  start: number,
): void {
  const json = columns.jsonStart[record] as number;
  const head = columns.headLength[record] as number;
  let tailStart = json + head;
  let tailLength = columns.tailLength[record] as number;
  let at = put(ID_START, list, start);
  at = store.copy(columns.idStart[record] as number, columns.idLength[record] as number, list, at);
  at = put(ID_END, list, at);
  at = store.copy(json + 1, head - 1, list, at);
  at = put(registries[columns.registries[record] as number] as Uint8Array, list, at);
  if (hasUpstreamId) {
    at = store.copy(tailStart, EXTRA_START_BYTES, list, at);
    at = put(EXTRA_ID, list, at);
    at = store.copy(columns.upstreamStart[record] as number, columns.upstreamLength[record] as number, list, at);
    if (tailLength !== EMPTY_TAIL_BYTES) list[at++] = COMMA;
    tailStart += EXTRA_START_BYTES;
    tailLength -= EXTRA_START_BYTES;
  }
  store.copy(tailStart, tailLength, list, at);
}

function put(bytes: Uint8Array, list: Buffer, at: number): number {
  list.set(bytes, at);
  return at + bytes.length;
}
