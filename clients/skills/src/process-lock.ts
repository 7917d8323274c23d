import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './skill-error.ts';

/** A holder on another host, or of another user, touches its file this often; it counts as dead after `STALE_MS`. */
const TOUCH_MS = 10_000;
const STALE_MS = 120_000;
/** For a file without a whole text, whose maker is writing it, or was killed in that. */
const UNWRITTEN_MS = 2_000;

/** What the file of a lock says of the process that holds it. */
export interface Holder {
  pid: number;
  host: string;
  /** In ticks since the machine's start, as ids are used again; null where the system does not tell. */
  startedAt: string | null;
}

/**
 * Takes the lock that a file stands for. Returns what releases it; undefined if another process holds it. What a killed
 * process of this host left is taken over at once, by one process only.
 */
export function tryLock(path: string): (() => void) | undefined {
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt: startOf(process.pid) };
  const mine = JSON.stringify({ ...holder, id: randomUUID() });
  if (!create(path, mine) && !takeOver(path, mine)) return undefined;
  const touching = setInterval(() => touch(path), TOUCH_MS).unref();
  return () => {
    clearInterval(touching);
    if (read(path) === mine) rmSync(path, { force: true });
  };
}

/** Undefined for a file that is missing or is no lock. */
export function holderOf(path: string): Holder | undefined {
  try {
    const { pid, host, startedAt } = JSON.parse(read(path) ?? '') as Partial<Holder>;
    const isHolder = Number.isInteger(pid) && Number(pid) > 0 && typeof host === 'string';
    return isHolder ? ({ pid, host, startedAt } as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Only one at a time looks at the file and removes it: nobody removes what another has created since. */
function takeOver(path: string, mine: string): boolean {
  const guard = `${path}-takeover`;
  if (!isStale(path)) return false;
  if (!create(guard, mine)) {
    // Its holder takes microseconds, unless it was killed in them.
    if (isStale(guard)) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (isStale(path)) rmSync(path, { force: true });
    return create(path, mine);
  } finally {
    rmSync(guard, { force: true });
  }
}

function isStale(path: string): boolean {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  const holder = holderOf(path);
  if (holder === undefined) return age > (isOfOtherUser(path) ? STALE_MS : UNWRITTEN_MS);
  if (holder.host !== hostname()) return age > STALE_MS;
  return !isAlive(holder.pid) || startOf(holder.pid) !== holder.startedAt;
}

/** Whether it cannot be read: files of locks are for their owners. */
function isOfOtherUser(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return false;
  } catch (error) {
    return hasCode(error, 'EACCES');
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Others then count it as stale, if they are on another host.
  }
}
