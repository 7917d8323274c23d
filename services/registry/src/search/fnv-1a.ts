import { randomInt } from 'node:crypto';

/**
 * Another one in each process, so that nobody can write a registry whose words all fall into one slot. No result
 * depends on it.
 */
export const HASH_SEED = randomInt(2 ** 31);

/** FNV-1a over code units, 32 bits. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}
