import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadReport, listAgentIds, startLoad, type Target } from './load.ts';
import type { Stack } from './stack.ts';

/** Between what is done and what is looked at. */
export const SETTLE_MS = 3_000;
const MIN_READS = 100;

/** What runs, and where it is reached. */
export interface Scene {
  stack: Stack;
  target: Target;
  scale: Readonly<Record<string, number>>;
}

/**
 * Reads and writes while `disturb` runs. @throws when a read failed, or an agent is gone whose creation was answered
 */
export async function underLoad({ target }: Scene, disturb: () => Promise<void>): Promise<LoadReport> {
  const load = startLoad(target, [...(await listAgentIds(target))].slice(0, 50));
  try {
    await sleep(SETTLE_MS);
    await disturb();
    await sleep(SETTLE_MS);
  } finally {
    await load.stop();
  }
  const { report } = load;
  requireNone(report.failedReads, `of ${report.reads} reads failed`);
  if (report.reads < MIN_READS) throw new Error(`Only ${report.reads} reads were made`);
  requireAll(report.created, await listAgentIds(target));
  return report;
}

export async function waitHealthy({ stack, scale }: Scene, service: string): Promise<void> {
  await stack.waitHealthy(service, scale[service] ?? 1);
}

/** @throws when an agent of `before` is not there any more */
export function requireAll(before: readonly string[], after: ReadonlySet<string>): void {
  requireNone(
    before.filter((id) => !after.has(id)),
    'agents are gone',
  );
}

export function requireNone(faults: readonly string[], what: string): void {
  if (faults.length > 0) throw new Error(`${faults.length} ${what}:\n${faults.slice(0, 5).join('\n')}`);
}

/** For people. */
export function describe({ reads, slowestReadMs, created, failedWrites }: LoadReport): string {
  return `${reads} reads, none failed, slowest ${slowestReadMs} ms; ${created.length} agents created, ${failedWrites.length} refused`;
}
