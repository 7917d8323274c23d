import { HASH_SEED } from '../fnv-1a.ts';

/** Maximum length of a short word, of ASCII letters and digits. */
export const MAX_SHORT_BYTES = 12;

/** By length: the bits of each of the three numbers that belong to the word. */
const MASKS = Array.from({ length: 3 }, (_, word) =>
  Int32Array.from({ length: MAX_SHORT_BYTES + 1 }, (_, length) => {
    const bytes = Math.max(0, Math.min(4, length - word * 4));
    return bytes === 4 ? -1 : (1 << (bytes * 8)) - 1;
  }),
) as [Int32Array, Int32Array, Int32Array];
const [FIRST, SECOND, THIRD] = MASKS;

/** This bit makes letters lower case and leaves digits unchanged. */
const SMALL = 0x20202020;

/** A hash table whose slots hold the whole word as three numbers of four letters: a lookup is one memory access. */
export class ShortWords {
  /** Four entries per slot: number + 1 (0 if it is empty), and the letters. At most half of the slots are full. */
  #slots = new Int32Array(1 << 14);
  #count = 0;
  #empty = 0;

  /**
   * The number of the word of `length` bytes at `at`, in any case; below 0 if it has none. Then `set` may number it.
   * `bytes` must have twelve bytes from `at` on.
   */
  find(bytes: DataView, at: number, length: number): number {
    const first = (bytes.getInt32(at, true) | SMALL) & (FIRST[length] as number);
    const second = (bytes.getInt32(at + 4, true) | SMALL) & (SECOND[length] as number);
    const third = (bytes.getInt32(at + 8, true) | SMALL) & (THIRD[length] as number);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hashOf(first, second, third) << 2) & mask;
    for (let taken = slots[slot] as number; taken !== 0; taken = slots[slot] as number) {
      if (slots[slot + 1] === first && slots[slot + 2] === second && slots[slot + 3] === third) return taken - 1;
      slot = (slot + 4) & mask;
    }
    slots[slot + 1] = first;
    slots[slot + 2] = second;
    slots[slot + 3] = third;
    this.#empty = slot;
    return -1;
  }

  /** Numbers the word of the last `find`. */
  set(number: number): void {
    this.#slots[this.#empty] = number + 1;
    if (++this.#count * 8 > this.#slots.length) this.#rehash();
  }

  #rehash(): void {
    const known = this.#slots;
    const slots = new Int32Array(known.length * 2);
    const mask = slots.length - 1;
    for (let from = 0; from < known.length; from += 4) {
      if (known[from] === 0) continue;
      const [first, second, third] = [known[from + 1] as number, known[from + 2] as number, known[from + 3] as number];
      let slot = (hashOf(first, second, third) << 2) & mask;
      while (slots[slot] !== 0) slot = (slot + 4) & mask;
      slots[slot] = known[from] as number;
      slots[slot + 1] = first;
      slots[slot + 2] = second;
      slots[slot + 3] = third;
    }
    this.#slots = slots;
  }
}

function hashOf(first: number, second: number, third: number): number {
  let hash = Math.imul(first ^ HASH_SEED, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ second, 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13) ^ third, 0xc2b2ae3d);
  return hash ^ (hash >>> 16);
}
