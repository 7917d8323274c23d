import { setTimeout as sleep } from 'node:timers/promises';
import { Work } from '../harness/work.ts';
import { listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';

/** Pause between a change and its check. */
export const PAUSE_MS = 3_000;
const MIN_READS = 100;

/** The running stack and its addresses. */
export interface Scene {
  stack: Stack;
  target: Target;
  scale: Readonly<Record<string, number>>;
}

/** Changes the stack; may return a description of its observations. */
export type Change = (scene: Scene) => Promise<string | undefined>;

/**
 * Reads and writes during a change. @throws if a read fails, a write fails that must succeed, or an acknowledged agent
 * is lost
 */
export async function underLoad(scene: Scene, change: Change, writes: 'succeed' | 'may fail'): Promise<string> {
  let seen: string | undefined;
  const { reads, failedReads, slowestReadMs, created, failedWrites } = await loadDuring(scene.target, async () => {
    seen = await changeWithPauses(scene, change);
  });
  requireNone(failedReads, `of ${reads} reads failed`);
  if (reads < MIN_READS) throw new Error(`Only ${reads} reads were made`);
  if (writes === 'succeed') requireNone(failedWrites, 'writes failed');
  requireAll(created, await listAgentIds(scene.target));
  const read = `${reads} reads, none failed, slowest ${slowestReadMs} ms`;
  return `${read}; ${created.length} agents created, ${failedWrites.length} refused${seen ? `, ${seen}` : ''}`;
}

/** Creates, leases and completes tasks during a change. @throws if a task is lost or ends twice */
export async function underWork(scene: Scene, change: Change): Promise<string> {
  const { tasks, repeated, lost } = await Work.during(scene.target, 'gemini', () => changeWithPauses(scene, change));
  return `${tasks.size} tasks, each ended once; ${repeated} requests repeated, ${lost} results too late`;
}

async function changeWithPauses(scene: Scene, change: Change): Promise<string | undefined> {
  await sleep(PAUSE_MS);
  const seen = await change(scene);
  await sleep(PAUSE_MS);
  return seen;
}

/** @throws if an agent of `before` is missing */
export function requireAll(before: Iterable<string>, after: ReadonlySet<string>): void {
  const lost = [...before].filter((id) => !after.has(id));
  requireNone(lost, 'agents are lost');
}

export function requireNone(faults: readonly string[], what: string): void {
  if (faults.length > 0) throw new Error(`${faults.length} ${what}:\n${faults.slice(0, 5).join('\n')}`);
}
