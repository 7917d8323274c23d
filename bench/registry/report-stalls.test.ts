import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import type { Stall } from './report-stalls.ts';

const STALL_MS = 400;
const PROGRAM = join(import.meta.dirname, 'report-stalls.ts');
const BUSY = `for (const end = performance.now() + ${STALL_MS}; performance.now() < end; ) ;`;
const BLOCKED = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STALL_MS});`;

/**
 * Returns the longest stall of a process that runs this code shortly after its start, on the main or another thread.
 */
function longestOf(action: string, isOnMain = true): Stall {
  const file = join(ownFolder(), 'stalls');
  const whole = `${action} setTimeout(() => {}, ${STALL_MS});`;
  // A worker with `eval: true` would not load the modules of `--import`.
  const url = JSON.stringify(`data:text/javascript,${encodeURIComponent(whole)}`);
  const elsewhere = `new (require('node:worker_threads').Worker)(new URL(${url}));`;
  const program = `setTimeout(() => { ${isOnMain ? whole : elsewhere} }, 500);`;
  const env = { ...process.env, NODE_OPTIONS: '', STALLS_FILE: file };
  execFileSync(process.execPath, ['--import', PROGRAM, '--eval', `'use strict'; ${program}`], { env });
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  const stalls = lines.map((line) => JSON.parse(line) as Stall);
  return stalls.reduce((a, b) => (a.ms > b.ms ? a : b), { endedAt: 0, ms: 0, processorMs: 0 });
}

test.each([
  ['is as long as the loop was busy', BUSY, 1.5],
  ['shows that the loop did not run', BLOCKED, 0.5],
])('the longest stall of an event loop %s', (_what, action, maxProcessorShare) => {
  const began = Date.now();
  const { ms, processorMs, endedAt } = longestOf(action);
  expect(ms).toBeGreaterThan(0.9 * STALL_MS);
  expect(processorMs).toBeLessThan(maxProcessorShare * STALL_MS);
  expect(endedAt).toBeGreaterThan(began);
  expect(endedAt).toBeLessThanOrEqual(Date.now());
});

test('a stall of another thread does not count for the event loop', () => {
  expect(longestOf(BUSY, false).processorMs).toBeLessThan(0.5 * STALL_MS);
});
