import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { Ledger } from './clients/ledger.ts';
import { judge } from './figures.ts';
import type { Kind } from './nemeses/nemeses.ts';

/** What is said of so many reads, some of which failed, during a fault, after one read without a fault. */
async function violationsOf(kind: Kind, reads: number, failed: number): Promise<string[]> {
  const ledger = new Ledger(ownFolder());
  ledger.reads.push({ atMs: 0, endMs: 1 });
  for (let at = 0; at < reads; at++) ledger.reads.push({ atMs: 20, endMs: 21, ...(at < failed && { problem: 'no' }) });
  judge(ledger, [{ kinds: [kind], fromMs: 10, toMs: 30, recoveryMs: 1 }], 0, false);
  await ledger.close();
  return ledger.violations;
}

test('one read in a thousand may fail while one process is lost, and none of fewer', async () => {
  expect(await violationsOf('kill service', 999, 1)).toHaveLength(1);
  expect(await violationsOf('kill service', 1_000, 1)).toEqual([]);
  expect(await violationsOf('kill service', 1_999, 2)).toHaveLength(1);
});

test('no read may fail during a planned change', async () => {
  expect(await violationsOf('planned switch', 5_000, 1)).toEqual([expect.stringContaining('1 of 5000 reads failed')]);
});

test('a fault during which nothing was read is a violation', async () => {
  expect(await violationsOf('kill redis', 0, 0)).toEqual(['while one process was lost, nothing was read']);
  expect(await violationsOf('cut two', 0, 0)).toEqual([]);
});
