import { existsSync } from 'node:fs';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';

/**
 * Returns the path of an installed server program. Benchmarks do not install one: packages of Debian start a server on
 * port 80.
 */
export function findProgram(name: string): string | undefined {
  return findOnPath([name]) ?? [`/usr/sbin/${name}`].find((path) => existsSync(path));
}
