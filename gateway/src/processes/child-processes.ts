import type { Logger } from '@agent-fleet/shared/logger';
import { type Child, startChild } from './child-process.ts';

/** One that ends within this time of its start ended early. */
const EARLY_MS = 10_000;
const MAX_EARLY_ENDS = 5;
/** Above the 23 s after which a process that stops ends by itself. */
const LEAVE_DEADLINE_MS = 30_000;

export interface ChildrenOptions {
  count: number;
  /** For each, beside the variables of this process. */
  env: Record<string, string>;
  logger: Logger;
  /** Called when five in a row have ended early. */
  giveUp(): Promise<void>;
}

export interface Children {
  /** Starts all; resolves with their port when each listens. @throws StartError when one of them ends before */
  listen(): Promise<number>;
  /** Replaces each by a new one, one after the other, without losing a request; the old ones stay if a new one does not start. */
  replaceAll(): void;
  /** Resolves when all have ended in good order. */
  stop(): Promise<void>;
}

/** Who is in it changes when one ends or is replaced. */
interface Place {
  child: Child;
}

/** Keeps `count` processes of the gateway: one that ends is replaced at once. */
export function keepChildren({ count, env, logger, giveUp }: ChildrenOptions): Children {
  const places: Place[] = [];
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

  function put(child: Child, place: Place): Place {
    place.child = child;
    void child.ended.then(({ code, signal, reason }) => {
      if (stopping || place.child !== child) return;
      logger.error({ ended_pid: child.pid, code, signal, reason }, 'process exited, starting another');
      earlyEnds = performance.now() - child.startedAtMs < EARLY_MS ? earlyEnds + 1 : 0;
      if (earlyEnds >= MAX_EARLY_ENDS) void giveUp();
      else put(start(), place);
    });
    return place;
  }

  async function replace(place: Place): Promise<void> {
    const old = place.child;
    const next = start();
    await next.listens;
    // The old one has ended meanwhile, and has been replaced for that.
    if (place.child !== old) return next.leave();
    put(next, place);
    await retire(old);
  }

  async function replaceEach(): Promise<void> {
    isReplacingDue = false;
    try {
      for (const place of places) {
        if (stopping) return;
        await replace(place);
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
    async listen() {
      const first = Array.from({ length: count }, start);
      try {
        const [port = 0] = await Promise.all(first.map(({ listens }) => listens));
        for (const child of first) places.push(put(child, { child }));
        return port;
      } catch (error) {
        await end((child) => child.kill());
        throw error;
      }
    },
    replaceAll() {
      if (isReplacingDue || stopping || places.length === 0) return;
      isReplacingDue = true;
      logger.info('replacing processes');
      replacing = replacing.then(replaceEach);
    },
    stop: () => end((child) => child.stop()),
  };
}

/** Lets a replaced process end, and kills it after 30 s. */
async function retire(child: Child): Promise<void> {
  child.leave();
  const overdue = setTimeout(() => child.kill(), LEAVE_DEADLINE_MS);
  await child.ended;
  clearTimeout(overdue);
}
