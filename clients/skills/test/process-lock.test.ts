import { chmodSync, existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { tryLock } from '../src/process-lock.ts';

/** A lock file that is so old, in a folder where everybody may write. */
function lockFile(text: string, ageMs: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  own(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o777);
  const path = join(folder, 'lock');
  writeFileSync(path, text);
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
  return path;
}

test.each([
  [1_000, false],
  [3_000, true],
])('a file without a text, %d ms old, is taken over: %j', (ageMs, isTaken) => {
  const path = lockFile('', ageMs);
  const unlock = tryLock(path);
  expect(unlock !== undefined).toBe(isTaken);
  unlock?.();
  expect(existsSync(path)).toBe(!isTaken);
});

test.each([
  [60_000, false],
  [130_000, true],
])('the lock of another user that cannot be read, touched %d ms ago, is taken over: %j', (ageMs, isTaken) => {
  const path = lockFile('{}', ageMs);
  chmodSync(path, 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    const unlock = tryLock(path);
    expect(unlock !== undefined).toBe(isTaken);
    unlock?.();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  expect(existsSync(path)).toBe(!isTaken);
});
