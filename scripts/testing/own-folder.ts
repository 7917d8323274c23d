import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { own } from './own.ts';

/** A new folder, which is deleted after the test, or after the file if it is made outside of a test. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-test-'));
  own(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
