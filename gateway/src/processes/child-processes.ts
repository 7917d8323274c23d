import type { Logger } from '@agent-fleet/shared/logger';
import { type Child, startChild } from './child-process.ts';

/** A child process that ends within this time of its start counts as failing at start. */
const EARLY_MS = 10_000;
const MAX_EARLY_ENDS = 5;
/** Above the 23 s after which a stopping child process exits by itself. */
const RETIRE_DEADLINE_MS = 30_000;

export interface ChildrenOptions {
  count: number;
  /** Variables for each child process, in addition to those of this process. */
  env: Record<string, string>;
  logger: Logger;
  /** Called when five in a row have ended early (within 10 s of their start). */
  giveUp(): Promise<void>;
}

/** One of the `count` positions; its child process changes when one exits or is replaced. */
interface Slot {
  child: Child;
}

/** Supervises `count` child processes: one that exits is replaced at once. */
export function keepChildren({ count, env, logger, giveUp }: ChildrenOptions) {
  const slots: Slot[] = [];
  const running = new Set<Child>();
  let stopping = false;
  let earlyEnds = 0;
  let replacing = Promise.resolve();
  let isReplacingDue = false;

  function start(): Child {
    const child = startChild(env);
    running.add(child);
    void child.ended.then(() => running.delete(child));
    return child;
  }

  function put(child: Child, slot: Slot): Slot {
    slot.child = child;
    void child.ended.then(({ code, signal, reason }) => {
      if (stopping || slot.child !== child) return;
      logger.error({ ended_pid: child.pid, code, signal, reason }, 'process exited, starting another');
      earlyEnds = performance.now() - child.startedAtMs < EARLY_MS ? earlyEnds + 1 : 0;
      if (earlyEnds >= MAX_EARLY_ENDS) void giveUp();
      else put(start(), slot);
    });
    return slot;
  }

  async function replace(slot: Slot): Promise<void> {
    const old = slot.child;
    const next = start();
    await next.listens;
    // The old one has exited meanwhile and has already been replaced.
    if (slot.child !== old) return next.retire();
    put(next, slot);
    await retire(old);
  }

  async function replaceEach(): Promise<void> {
    isReplacingDue = false;
    try {
      for (const slot of slots) {
        if (stopping) return;
        await replace(slot);
      }
      logger.info('replaced all processes');
    } catch (error) {
      if (!stopping)
        logger.error({ reason: (error as Error).message }, 'failed to replace processes, keeping the old ones');
    }
  }

  async function end(stopChild: (child: Child) => void): Promise<void> {
    stopping = true;
    for (const child of running) stopChild(child);
    await Promise.all([...running].map(({ ended }) => ended));
  }

  return {
    /** Starts all; resolves with their port when each listens. @throws StartError when one ends first */
    async listen(): Promise<number> {
      const first = Array.from({ length: count }, start);
      try {
        const [port = 0] = await Promise.all(first.map(({ listens }) => listens));
        for (const child of first) slots.push(put(child, { child }));
        return port;
      } catch (error) {
        await end((child) => child.kill());
        throw error;
      }
    },
    /** Replaces all, one at a time, without losing requests; keeps the old ones if a new one does not start. */
    replaceAll(): void {
      if (isReplacingDue || stopping || slots.length === 0) return;
      isReplacingDue = true;
      logger.info('replacing processes');
      replacing = replacing.then(replaceEach);
    },
    /** Resolves when all have stopped gracefully. */
    stop: () => end((child) => child.stop()),
  };
}

/** Stops a replaced child process gracefully, and kills it after 30 s. */
async function retire(child: Child): Promise<void> {
  child.retire();
  const overdue = setTimeout(() => child.kill(), RETIRE_DEADLINE_MS);
  await child.ended;
  clearTimeout(overdue);
}
