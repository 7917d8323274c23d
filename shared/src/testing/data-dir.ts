import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * A new folder for the files of a test or a benchmark, in memory if the system has such a file system, so that results
 * do not depend on the disk. With `appendfsync everysec` and a slow disk, Redis holds writes back for up to 2 s; on a
 * virtual machine, the disk also takes processor time from the process that writes.
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
