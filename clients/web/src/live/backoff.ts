const FIRST_MS = 1_000;
const MAX_MS = 30_000;

/** How long to wait after a number of failures in a row: at first 1 to 2 s, at most 30 s. `random`: 0 to 1. */
export function backoffMs(failures: number, random = Math.random()): number {
  const least = Math.min(FIRST_MS * 2 ** (failures - 1), MAX_MS / 2);
  return least * (1 + random);
}
