import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * A new folder for the data of a Redis that tests kill: in memory where the system has such a place. With `appendfsync everysec` Redis
 * acknowledges writes up to 2 s before it writes them while the disk is slow to sync; what a test asks is not how fast the disk is.
 */
export function makeDataDir(prefix: string): string {
  return mkdtempSync(join(isWritable(IN_MEMORY) ? IN_MEMORY : tmpdir(), prefix));
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
