import { hashUnit } from '../index/fnv-1a.ts';

/** The served JSON of all skills of a snapshot, with an index by id. */
export interface SkillTableData {
  /** `[{…},{…}]`, in the order of rows; each object begins with `{"id":"…",`. */
  list: Uint8Array;
  /** `count + 1` offsets of the skills in `list`. A skill ends one byte before the next offset. */
  offsets: Uint32Array;
  /** Hash table by id, open addressing: row + 1, or 0 for an empty slot. Its length is a power of two. */
  slots: Uint32Array;
}

/** The start of each skill. */
export const ID_MEMBER = '{"id":"';
const ID_AT = ID_MEMBER.length;
const QUOTE = 0x22;
/** Ids are shorter. Bounds the work for long paths. */
const MAX_ID_LENGTH = 256;
const MIN_SLOTS = 16;

/** The skills of a snapshot by row and by id, without an object per skill. */
export class SkillTable {
  readonly #list: Buffer;
  readonly #offsets: Uint32Array;
  readonly #slots: Uint32Array;

  constructor({ list, offsets, slots }: SkillTableData) {
    this.#list = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
    this.#offsets = offsets;
    this.#slots = slots;
  }

  get count(): number {
    return this.#offsets.length - 1;
  }

  /** The served JSON of a skill: a view, not a copy. */
  jsonAt(row: number): Buffer {
    return this.jsonBetween(row, row);
  }

  /** The JSON of the skills from `first` to `last`, separated by commas: a view. */
  jsonBetween(first: number, last: number): Buffer {
    return this.#list.subarray(this.#offset(first), this.#offset(last + 1) - 1);
  }

  idAt(row: number): string {
    const start = this.#offset(row) + ID_AT;
    return this.#list.toString('latin1', start, this.#list.indexOf(QUOTE, start));
  }

  rowOf(id: string): number | undefined {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const mask = this.#slots.length - 1;
    for (let slot = hashText(id) & mask; ; slot = (slot + 1) & mask) {
      const stored = this.#slots[slot] as number;
      if (stored === 0) return undefined;
      if (this.#hasId(stored - 1, id)) return stored - 1;
    }
  }

  #hasId(row: number, id: string): boolean {
    const start = this.#offset(row) + ID_AT;
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at);
      // A quote ends the id in the list: the bytes after it are not compared.
      if (unit === QUOTE || unit !== this.#list[start + at]) return false;
    }
    return this.#list[start + id.length] === QUOTE;
  }

  #offset(row: number): number {
    const offset = this.#offsets[row];
    if (offset === undefined) throw new RangeError(`Row ${row} does not exist`);
    return offset;
  }
}

/** The hash table of a list, at most half full. */
export function createSlots(list: Uint8Array, offsets: Uint32Array): Uint32Array {
  const count = offsets.length - 1;
  let size = MIN_SLOTS;
  while (size < count * 2) size *= 2;
  const slots = new Uint32Array(size);
  for (let row = 0; row < count; row++) {
    let slot = hashIdAt(list, (offsets[row] as number) + ID_AT) & (size - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (size - 1);
    slots[slot] = row + 1;
  }
  return slots;
}

const START = 0x811c9dc5;

/** FNV-1a. Equals `hashIdAt` for the same id, as ids are ASCII. */
function hashText(text: string): number {
  let hash = START;
  for (let at = 0; at < text.length; at++) hash = hashUnit(hash, text.charCodeAt(at));
  return hash ^ (hash >>> 15);
}

function hashIdAt(list: Uint8Array, start: number): number {
  let hash = START;
  for (let at = start; list[at] !== QUOTE; at++) hash = hashUnit(hash, list[at] as number);
  return hash ^ (hash >>> 15);
}
