import { randomInt } from 'node:crypto';
import { release } from './arrays.ts';

const FIRST_SIZE = 1_024;

/** Random odd factors of the two halves of a hash, so that nobody can prepare keys whose slots are the same. */
export type Spread = readonly [low: number, high: number];

export function createSpread(): Spread {
  return [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1];
}

/** Multiplicative hashing: the first of a power of two of slots where a 53-bit hash may be. */
export function firstSlot(hash: number, [low, high]: Spread, slots: number): number {
  return (Math.imul(hash, low) + Math.imul(hash / 2 ** 32, high)) >>> Math.clz32(slots - 1);
}

/** Finds rows or records by 53-bit hashes. Open addressing in flat arrays takes a tenth of the memory of a `Map`. */
export class HashTable {
  #keys: Float64Array;
  /** Value + 1; 0 is an empty slot. */
  #values: Uint32Array;
  #count = 0;
  readonly #spread = createSpread();

  constructor(expected = 0) {
    const size = sizeFor(expected);
    this.#keys = new Float64Array(size);
    this.#values = new Uint32Array(size);
  }

  /** Several values may have one key; they are found in insertion order. */
  add(key: number, value: number): void {
    if (++this.#count * 2 > this.#values.length) this.#grow();
    this.#put(key, value + 1);
  }

  /** Frees its memory at once; it cannot be used afterwards. */
  release(): void {
    release(this.#keys, this.#values);
  }

  /** The first value under `key` that `matches`. */
  find(key: number, matches: (value: number) => boolean): number | undefined {
    const mask = this.#values.length - 1;
    for (let slot = firstSlot(key, this.#spread, this.#values.length); ; slot = (slot + 1) & mask) {
      const value = this.#values[slot]!;
      if (value === 0) return undefined;
      if (this.#keys[slot] === key && matches(value - 1)) return value - 1;
    }
  }

  #put(key: number, stored: number): void {
    const mask = this.#values.length - 1;
    let slot = firstSlot(key, this.#spread, this.#values.length);
    while (this.#values[slot] !== 0) slot = (slot + 1) & mask;
    this.#keys[slot] = key;
    this.#values[slot] = stored;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(keys.length * 2);
    this.#values = new Uint32Array(values.length * 2);
    // Starts at an empty slot, so that values of one key keep their order even if their slots wrap around the end.
    const start = values.indexOf(0);
    for (let step = 0; step < values.length; step++) {
      const slot = (start + step) & (values.length - 1);
      const stored = values[slot]!;
      if (stored !== 0) this.#put(keys[slot]!, stored);
    }
  }
}

/** A power of two, so that no more than half of the slots are taken. */
function sizeFor(count: number): number {
  let size = FIRST_SIZE;
  while (size < count * 2) size *= 2;
  return size;
}
