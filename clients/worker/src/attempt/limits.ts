import type { Task } from '@agent-fleet/sdk';
import { TaskAbortError, TaskError } from '../errors.ts';

/** Time to report what was used before the fleet ends the attempt. */
const REPORT_MS = 10_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface LimitOptions {
  /** Of the attempt. */
  timeoutSeconds: number | undefined;
  /** Without any sign of life. */
  idleSeconds: number;
  /** Of the task's context. */
  signal: AbortSignal;
}

export type Limits = ReturnType<typeof createLimits>;

/** Everything that ends an attempt before its agent does, as one signal. */
export function createLimits({ timeoutSeconds = 0, idleSeconds, signal }: LimitOptions) {
  const controller = new AbortController();
  const end = (reason: unknown) => controller.abort(reason);
  const onAbort = () => end(signal.reason);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const reserveMs = Math.min(REPORT_MS, (timeoutSeconds * 1000) / 2);
  let leftMs = timeoutSeconds * 1000 - reserveMs;
  let startedAt = performance.now();
  let timeout: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  let pauses = 0;
  const start = () => {
    startedAt = performance.now();
    if (timeoutSeconds > 0) timeout = setTimeout(() => end(tooLong(timeoutSeconds, reserveMs)), within(leftMs));
  };
  const alive = () => {
    clearTimeout(idle);
    const message = `The agent gave no sign of life for ${idleSeconds} s`;
    const stall = () => end(new TaskError(message, { code: 'stalled' }));
    if (pauses === 0) idle = setTimeout(stall, within(idleSeconds * 1000));
  };
  start();
  return {
    /** Aborts with a TaskAbortError, or with the TaskError to report. */
    signal: controller.signal,
    end,
    /** Ends the attempt after a time, unless it goes on. */
    endIn(ms: number, toError: () => TaskError): void {
      ending ??= setTimeout(() => end(toError()), ms);
    },
    goOn(): void {
      clearTimeout(ending);
      ending = undefined;
    },
    /** Starts the idle time again, and for the first time. */
    alive,
    /** Stops all clocks, as while a person is asked; each pause ends by a `resume`. */
    pause(): void {
      if (pauses++ > 0) return;
      clearTimeout(timeout);
      clearTimeout(idle);
      leftMs -= performance.now() - startedAt;
    },
    resume(): void {
      if (--pauses > 0 || controller.signal.aborted) return;
      start();
      alive();
    },
    grace: () => graceOf(controller.signal.reason, reserveMs),
    close(): void {
      clearTimeout(ending);
      clearTimeout(timeout);
      clearTimeout(idle);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** With the code and the words of the fleet, which would end the attempt a little later without a report. */
function tooLong(seconds: number, reserveMs: number): TaskError {
  const message = `The attempt took longer than ${seconds} s, less ${reserveMs / 1000} s to end it`;
  return new TaskError(message, { code: 'timeout' });
}

const within = (ms: number) => Math.min(Math.max(ms, 0), MAX_TIMER_MS);

/** How long a program may take to end: after it was asked, and after SIGTERM. */
function graceOf(reason: unknown, reserveMs: number): { cancelMs: number; terminateMs: number } {
  const code = reason instanceof TaskAbortError || reason instanceof TaskError ? reason.code : undefined;
  // Another worker may have the task already.
  if (code === 'lease_lost') return { cancelMs: 0, terminateMs: 3_000 };
  // The worker gives its handlers seven seconds.
  if (code === 'worker_stopped' || code === 'suspended') return { cancelMs: 2_000, terminateMs: 3_000 };
  if (code === 'timeout') return { cancelMs: reserveMs * 0.3, terminateMs: reserveMs * 0.3 };
  return { cancelMs: 5_000, terminateMs: 5_000 };
}

/**
 * What is left of the limits of a task and of the worker, in USD; undefined without a limit.
 * @param maxCost limit of the worker for one task
 * @param isCounted whether the model calls go through the key proxy
 * @throws TaskError `budget_exceeded` if nothing is left, or the task has a limit that nothing enforces
 */
export function budgetLeft(task: Task, maxCost: number | undefined, isCounted: boolean): number | undefined {
  const limits = [maxCost, task.max_cost?.amount].filter((limit) => limit !== undefined);
  if (limits.length === 0) return undefined;
  if (!isCounted) {
    throw exceeded('The task has a max_cost, and this worker cannot enforce it: its agent has its own credentials');
  }
  const limit = Math.min(...limits);
  const spent = task.cost?.amount ?? 0;
  if (spent >= limit) throw exceeded(`Earlier attempts have cost ${spent} of ${limit} USD`);
  return limit - spent;
}

/** @param message for people */
export function exceeded(message: string, code = 'budget_exceeded'): TaskError {
  return new TaskError(message, { code, retryable: false });
}
