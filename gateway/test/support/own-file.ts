import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '@agent-fleet/scripts/testing/own';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';

/** A file in a temporary folder, which is removed after the test. */
export function writeOwnFile(name: string, text: string): string {
  const dir = makeDataDir('gateway-');
  own(() => rmSync(dir, { recursive: true }));
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}
