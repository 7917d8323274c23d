import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * A new folder for what is written under a test or a benchmark, in memory where the system has such a place: what they
 * ask is not how fast the disk is. With `appendfsync everysec` Redis acknowledges writes up to 2 s before it writes
 * them while the disk is slow to sync, and on a virtual machine the disk takes processor time from the process that
 * writes.
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
