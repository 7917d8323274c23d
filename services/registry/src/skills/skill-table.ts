/** All skills of a snapshot as the JSON that is served, with what finds one by row or id. */
export interface SkillTableData {
  /** `[{…},{…}]`, in the order of rows; each object begins with `{"id":"…",`. */
  list: Uint8Array;
  /** `count + 1` numbers: where each skill begins in `list`; it ends one byte before the next begins. */
  offsets: Uint32Array;
  /** Open addressing by a hash of the id: row + 1, or 0 for an empty slot. Its length is a power of two. */
  slots: Uint32Array;
}

/** What each skill begins with. */
export const ID_MEMBER = '{"id":"';
const ID_AT = ID_MEMBER.length;
const QUOTE = 0x22;
/** Ids are shorter: nobody's long path is hashed. */
const MAX_ID_LENGTH = 256;
const MIN_SLOTS = 16;

/** The skills of a snapshot, by row and by id, without an object for any of them. */
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

  /** The skill as it is served: a view, not a copy. */
  jsonAt(row: number): Buffer {
    return this.#list.subarray(this.#offset(row), this.#offset(row + 1) - 1);
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
      // The quote is where the id in the list ends: what follows it is not compared.
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

/** The slots of a list, at most half of them taken. */
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
const PRIME = 0x01000193;

/** FNV-1a; the same as `hashIdAt` of the same id, which is ASCII. */
function hashText(text: string): number {
  let hash = START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash ^ (hash >>> 15);
}

function hashIdAt(list: Uint8Array, start: number): number {
  let hash = START;
  for (let at = start; list[at] !== QUOTE; at++) hash = Math.imul(hash ^ (list[at] as number), PRIME);
  return hash ^ (hash >>> 15);
}
