import { setTimeout as sleep } from 'node:timers/promises';
import { Work } from '../harness/work.ts';
import { listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';

/** Between a change and what is checked. */
export const SETTLE_MS = 3_000;
const MIN_READS = 100;

/** What runs, and where it is reached. */
export interface Scene {
  stack: Stack;
  target: Target;
  scale: Readonly<Record<string, number>>;
}

/** Changes the stack; may return what it saw. */
export type Change = (scene: Scene) => Promise<string | undefined>;

/**
 * Reads and writes during a change. @throws when a read failed, or a write where none may, or an agent is gone whose
 * creation was acknowledged
 */
export async function underLoad(scene: Scene, change: Change, writes: 'succeed' | 'may fail'): Promise<string> {
  let seen: string | undefined;
  const { reads, failedReads, slowestReadMs, created, failedWrites } = await loadDuring(scene.target, async () => {
    seen = await settled(scene, change);
  });
  requireNone(failedReads, `of ${reads} reads failed`);
  if (reads < MIN_READS) throw new Error(`Only ${reads} reads were made`);
  if (writes === 'succeed') requireNone(failedWrites, 'writes failed');
  requireAll(created, await listAgentIds(scene.target));
  const read = `${reads} reads, none failed, slowest ${slowestReadMs} ms`;
  return `${read}; ${created.length} agents created, ${failedWrites.length} refused${seen ? `, ${seen}` : ''}`;
}

/** Creates, leases and completes tasks during a change. @throws when a task is lost or ends twice */
export async function underWork(scene: Scene, change: Change): Promise<string> {
  const { tasks, again, lost } = await Work.during(scene.target, 'gemini', () => settled(scene, change));
  return `${tasks.size} tasks, each ended once; ${again} requests sent again, ${lost} results too late`;
}

async function settled(scene: Scene, change: Change): Promise<string | undefined> {
  await sleep(SETTLE_MS);
  const seen = await change(scene);
  await sleep(SETTLE_MS);
  return seen;
}

/** @throws when an agent of `before` is not there any more */
export function requireAll(before: Iterable<string>, after: ReadonlySet<string>): void {
  const gone = [...before].filter((id) => !after.has(id));
  requireNone(gone, 'agents are gone');
}

export function requireNone(faults: readonly string[], what: string): void {
  if (faults.length > 0) throw new Error(`${faults.length} ${what}:\n${faults.slice(0, 5).join('\n')}`);
}
