import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Has the mark of the attempt in the environment of every process of it. */
export const ATTEMPT_MARK = 'FLEET_ATTEMPT_ID';

/** How long to repeat, for programs that start others faster than they are killed. */
const MAX_KILL_MS = 5_000;
const REPEAT_MS = 20;
const WORKER_DIGITS = 16;

/** Whether this system shows the environment of processes. Elsewhere only process groups are ended. */
export const HAS_PROC = existsSync('/proc/self/environ');

/** The mark of a worker: random, so that no other process is ever taken for one of its own. Hexadecimal digits. */
export function newWorkerMark(): string {
  return randomBytes(WORKER_DIGITS / 2).toString('hex');
}

/** The mark of an attempt, which contains that of its worker. */
export function newAttemptMark(workerMark: string): string {
  return workerMark + randomBytes(8).toString('hex');
}

/** The mark of the worker of an attempt. */
export function workerMarkOf(attemptMark: string): string {
  return attemptMark.slice(0, WORKER_DIGITS);
}

/** Whether a text that may be anybody's is the mark of an attempt. */
export function isAttemptMark(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{32}$/.test(text);
}

/** Sends a signal to a process group; one that has ended is no error. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalProcess(-pid, signal);
}

/**
 * Kills all processes with the mark anywhere in their environment, and their descendants, until none is left, for at
 * most 5 s. It also reaches what has left the process group. The folder of temporary files has the mark in its name, as
 * Codex starts helpers with little else than `TMPDIR`. Resolves with the number of processes that are left.
 */
export async function killMarked(mark: string): Promise<number> {
  const endAt = performance.now() + MAX_KILL_MS;
  for (;;) {
    const pids = findMarked(mark);
    for (const pid of pids) signalProcess(pid, 'SIGKILL');
    if (pids.length === 0 || performance.now() > endAt) return pids.length;
    await sleep(REPEAT_MS);
  }
}

/** Ids of the processes, which may end at any time. Empty where there is no `/proc`. */
function findMarked(mark: string): number[] {
  if (!HAS_PROC) return [];
  const all = readdirSync('/proc').filter((file) => /^\d+$/.test(file));
  const found = new Set(all.filter((pid) => hasMark(pid, mark)).map(Number));
  if (found.size > 0) addDescendants(found, all);
  found.delete(process.pid);
  return [...found];
}

/** A descendant may have been started with another environment. */
function addDescendants(found: Set<number>, all: readonly string[]): void {
  const parents = new Map(all.map((pid) => [Number(pid), parentOf(pid)]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

/** A zombie, which has ended, counts as nobody's child. */
function parentOf(pid: string): number | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
