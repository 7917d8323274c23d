import { existsSync } from 'node:fs';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';

/** Where a server program is. It is not installed for a benchmark: Debian's packages start a server on port 80. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name]) ?? [`/usr/sbin/${name}`].find((path) => existsSync(path));
}
