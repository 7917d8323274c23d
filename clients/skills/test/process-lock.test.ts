import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { tryLock } from '../src/process-lock.ts';

/** A lock file that is so old, in a folder where everybody may write. */
function lockFile(text: string, ageMs: number): string {
  const folder = ownFolder();
  chmodSync(folder, 0o777);
  const path = join(folder, 'lock');
  writeFileSync(path, text);
  const at = new Date(Date.now() - ageMs);
  utimesSync(path, at, at);
  return path;
}

const holder = (host: string, pid: number) => JSON.stringify({ host, pid, startedAt: '1' });

test.each([
  ['a process that has ended', holder(hostname(), 2 ** 22 - 1), 0, true],
  ['an earlier process with the same id', holder(hostname(), process.pid), 0, true],
  ['another machine, not touched for long', holder('elsewhere', 1), 200_000, true],
  ['another machine, touched lately', holder('elsewhere', 1), 20_000, false],
  ['nobody, as it is without a text', '', 3_000, true],
  ['nobody yet', '', 1_000, false],
])('the lock of %s', (_holder, text, ageMs, isTaken) => {
  const path = lockFile(text, ageMs);
  const unlock = tryLock(path);
  expect(unlock !== undefined).toBe(isTaken);
  if (isTaken) expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
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
