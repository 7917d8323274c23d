import { randomInt } from 'node:crypto';
import { grow, release } from '../memory/arrays.ts';
import type { TextTable } from './index-data.ts';
import { rowsOf } from './numbers.ts';
import { compareTextsAt, tableOf } from './text-table.ts';

/** Random, so that a registry with colliding words cannot be prepared. No result depends on it. */
export const HASH_SEED = randomInt(2 ** 31);

/** One step of FNV-1a (Fowler, Noll and Vo, 1991) over code units, 32 bits. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

const MAX_TEXTS = 2 ** 21;

/** Numbers distinct texts from 0 in order of first use: a hash table over flat code units, without strings. */
export class TextInterner {
  count = 0;
  #units = new Uint16Array(1 << 16);
  #offsets = new Uint32Array(1 << 12);
  /** Two entries per slot: number + 1 (0 if the slot is empty) and hash. At most two thirds of the slots are full. */
  #slots = new Int32Array(1 << 14);
  #scratch = new Uint16Array(256);

  /** The number of a text; -1 if there are too many. */
  intern(units: Uint16Array, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = firstSlot(hash, mask);
    for (let taken = slots[slot]!; taken !== 0; taken = slots[slot]!) {
      if (slots[slot + 1] === hash && this.#equals(taken - 1, units, length)) return taken - 1;
      slot = (slot + 2) & mask;
    }
    return this.#add(units, length, hash, slot);
  }

  internText(text: string): number {
    if (text.length > this.#scratch.length) this.#scratch = new Uint16Array(text.length * 2);
    let hash = HASH_SEED;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      this.#scratch[at] = unit;
      hash = hashUnit(hash, unit);
    }
    return this.intern(this.#scratch, text.length, hash);
  }

  /** All numbers in the order of their texts. */
  sorted(): Uint32Array {
    const all = { units: this.#units, offsets: this.#offsets };
    return rowsOf(this.count).sort((a, b) => compareTextsAt(all, a, b));
  }

  /** The texts of these numbers. Ends the use of this object. */
  tableOf(numbers: Uint32Array): TextTable {
    const table = tableOf({ units: this.#units, offsets: this.#offsets }, numbers);
    release(this.#units, this.#offsets, this.#slots);
    return table;
  }

  #equals(number: number, units: Uint16Array, length: number): boolean {
    const known = this.#units;
    const from = this.#offsets[number]!;
    if (this.#offsets[number + 1]! - from !== length) return false;
    for (let at = 0; at < length; at++) if (known[from + at] !== units[at]) return false;
    return true;
  }

  #add(units: Uint16Array, length: number, hash: number, slot: number): number {
    if (this.count === MAX_TEXTS) return -1;
    const number = this.count++;
    const from = this.#offsets[number]!;
    if (from + length > this.#units.length) this.#units = grow(this.#units, from + length);
    for (let at = 0; at < length; at++) this.#units[from + at] = units[at]!;
    if (number + 2 > this.#offsets.length) this.#offsets = grow(this.#offsets, number + 2);
    this.#offsets[number + 1] = from + length;
    this.#slots[slot] = number + 1;
    this.#slots[slot + 1] = hash;
    if (this.count * 3 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let from = 0; from < this.#slots.length; from += 2) {
      if (this.#slots[from] === 0) continue;
      let slot = firstSlot(this.#slots[from + 1]!, mask);
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = this.#slots[from]!;
      slots[slot + 1] = this.#slots[from + 1]!;
    }
    release(this.#slots);
    this.#slots = slots;
  }
}

function firstSlot(hash: number, mask: number): number {
  return ((hash ^ (hash >>> 15)) << 1) & mask;
}
