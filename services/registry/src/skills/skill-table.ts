import { type Chunks, PieceReader } from '../memory/byte-store.ts';
import { hashId } from '../memory/cyrb53.ts';
import { createSpread, firstSlot, type Spread } from '../memory/hash-table.ts';
import type { Skill } from './skill.ts';

/** The served JSON of all skills of a snapshot, with an index by id. */
export interface SkillTableData {
  /** Shared with the snapshots before and after this one. */
  chunks: Chunks;
  /** By row: the position and length of `{"id":"…","name":"…",…}`. */
  starts: Uint32Array;
  lengths: Uint32Array;
  /** Hash table by id, open addressing: row + 1, or 0 for an empty slot. Its length is a power of two. */
  slots: Uint32Array;
  spread: Spread;
}

const ID_AT = '{"id":"'.length;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Between the id and the name. */
const NAME_MEMBER = '","name":"';
/** Ids are shorter. Bounds the work for long paths. */
const MAX_ID_LENGTH = 256;
const MIN_SLOTS = 16;

/** The skills of a snapshot by row and by id, without an object per skill. */
export class SkillTable {
  readonly #pieces: PieceReader;
  readonly #starts: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #spread: Spread;

  constructor({ chunks, starts, lengths, slots, spread }: SkillTableData) {
    this.#pieces = new PieceReader(chunks);
    this.#starts = starts;
    this.#lengths = lengths;
    this.#slots = slots;
    this.#spread = spread;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The served JSON of a skill: a view, not a copy. */
  jsonAt(row: number): Buffer {
    const length = this.#lengths[row];
    if (length === undefined) throw new RangeError(`Row ${row} does not exist`);
    return this.#pieces.bytesAt(this.#starts[row]!, length);
  }

  skillAt(row: number): Skill {
    return JSON.parse(this.jsonAt(row).toString());
  }

  idAt(row: number): string {
    return idOf(this.jsonAt(row));
  }

  rowOf(id: string): number | undefined {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const mask = this.#slots.length - 1;
    for (let slot = firstSlot(hashId(id), this.#spread, this.#slots.length); ; slot = (slot + 1) & mask) {
      const stored = this.#slots[slot]!;
      if (stored === 0) return undefined;
      if (this.idAt(stored - 1) === id) return stored - 1;
    }
  }
}

/** The id of a served JSON; ids are ASCII without escapes. */
export function idOf(json: Buffer): string {
  return json.toString('latin1', ID_AT, json.indexOf(QUOTE, ID_AT));
}

/** The name of a served JSON. */
export function nameOf(json: Buffer): string {
  const start = json.indexOf(QUOTE, ID_AT) + NAME_MEMBER.length;
  let end = start;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return JSON.parse(json.toString('utf8', start - 1, end + 1));
}

/** The hash table by id, at most half full. `ids` are the hashes by row. */
export function createSlots(ids: Float64Array): Pick<SkillTableData, 'slots' | 'spread'> {
  const spread = createSpread();
  let size = MIN_SLOTS;
  while (size < ids.length * 2) size *= 2;
  const slots = new Uint32Array(size);
  for (let row = 0; row < ids.length; row++) {
    let slot = firstSlot(ids[row]!, spread, size);
    while (slots[slot] !== 0) slot = (slot + 1) & (size - 1);
    slots[slot] = row + 1;
  }
  return { slots, spread };
}
