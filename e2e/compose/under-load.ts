import { Work } from '../harness/work.ts';
import { listAgentIds, loadDuring, type Target } from './load.ts';
import type { Stack } from './stack.ts';

const MIN_READS = 100;

/** The running stack and its addresses. */
export interface Scene {
  stack: Stack;
  target: Target;
  scale: Readonly<Record<string, number>>;
}

/** Changes the stack; may return a description of its observations. */
export type Change = (scene: Scene) => Promise<string | undefined>;

/** Makes changes one after the other. */
export function inTurn(...changes: readonly Change[]): Change {
  return async (scene) => {
    const seen = [];
    for (const change of changes) seen.push(await change(scene));
    return describe(seen);
  };
}

/** Makes changes at the same time. */
export function atOnce(...changes: readonly Change[]): Change {
  return async (scene) => describe(await Promise.all(changes.map((change) => change(scene))));
}

function describe(seen: readonly (string | undefined)[]): string {
  return seen.filter(Boolean).join('; ');
}

/**
 * Reads and writes during a change. @throws if a read fails, a write fails that must succeed, or an acknowledged agent
 * is lost
 */
export function underLoad(change: Change, writes: 'succeed' | 'may fail'): Change {
  return async (scene) => {
    let seen: string | undefined;
    const { reads, failedReads, slowestReadMs, created, failedWrites } = await loadDuring(scene.target, async () => {
      seen = await change(scene);
    });
    requireNone(failedReads, `of ${reads} reads failed`);
    if (reads < MIN_READS) throw new Error(`Only ${reads} reads were made`);
    if (writes === 'succeed') requireNone(failedWrites, 'writes failed');
    requireAll(created, await listAgentIds(scene.target));
    const read = `${reads} reads, none failed, slowest ${slowestReadMs} ms`;
    return describe([`${read}; ${created.length} agents created, ${failedWrites.length} refused`, seen]);
  };
}

/** Creates, leases and completes tasks during a change. @throws if a task is lost or ends twice */
export function underWork(change: Change): Change {
  return async (scene) => {
    let seen: string | undefined;
    const { tasks, repeated, lost } = await Work.during(scene.target, 'gemini', async () => {
      seen = await change(scene);
    });
    return describe([
      `${tasks.size} tasks, each ended once, ${repeated} requests repeated, ${lost} results late`,
      seen,
    ]);
  };
}

/** @throws if an agent of `before` is missing */
export function requireAll(before: Iterable<string>, after: ReadonlySet<string>): void {
  const lost = [...before].filter((id) => !after.has(id));
  requireNone(lost, 'agents are lost');
}

export function requireNone(faults: readonly string[], what: string): void {
  if (faults.length > 0) throw new Error(`${faults.length} ${what}:\n${faults.slice(0, 5).join('\n')}`);
}
