/** Returns numbers in [0, 1); equal seeds give equal numbers on every platform. */
export type Random = () => number;

/** mulberry32 (Tommy Ettinger, public domain): 32 bits of state, enough for text. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Derives a seed for an independent sequence of numbers. */
export function toSeed(...parts: number[]): number {
  let seed = 0x9e3779b9;
  for (const part of parts) seed = Math.imul(seed ^ part, 0x85ebca6b) ^ (seed >>> 13);
  return seed;
}

/**
 * Returns a rank in [0, count) by the Zipf–Mandelbrot law: the probability of rank r is proportional to 1/(r + flat).
 * With `flat` = 10, the most frequent of some hundred topics is in a fifth of all descriptions, as in real registries.
 */
export function zipfRank(random: Random, count: number, flat = 10): number {
  return Math.min(count - 1, Math.floor(flat * ((count + flat) / flat) ** random() - flat));
}

export function integer(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Returns `count` different numbers in [0, below), in ascending order. */
export function distinct(random: Random, count: number, below: number): number[] {
  const taken = new Set<number>();
  while (taken.size < Math.min(count, below)) taken.add(Math.floor(random() * below));
  return [...taken].sort((a, b) => a - b);
}
