import { randomInt } from 'node:crypto';

/** Random, so that a registry with colliding words cannot be prepared. No result depends on it. */
export const HASH_SEED = randomInt(2 ** 31);

/** One step of FNV-1a (Fowler, Noll and Vo, 1991) over code units, 32 bits. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}
