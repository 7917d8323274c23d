import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, SkillError } from '../skill-error.ts';
import type { Folder } from './folder.ts';

const MUTEX_FILE = '.fleet-lock';
const TAKEOVER_FILE = '.fleet-lock-takeover';
const WAIT_MS = 30_000;
const POLL_MS = 50;
/** A holder on another host touches its file this often; it counts as dead when it has not for `STALE_MS`. */
const TOUCH_MS = 10_000;
const STALE_MS = 120_000;
const EMPTY_MS = 2_000;

/**
 * Holds the mutex of a folder of skills while `work` runs. It is a file with the process id and host, so that what a
 * killed process left can be told and taken over; only one at a time may take over.
 * @throws SkillError if another command holds it for 30 s
 */
export async function withMutex<T>(folder: Folder, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), host: hostname(), id: randomUUID() });
  const deadline = Date.now() + WAIT_MS;
  while (!create(folder.at(MUTEX_FILE), mine) && !takeOver(folder, mine)) {
    if (Date.now() > deadline) throw held(folder);
    await sleep(POLL_MS, undefined, { signal });
  }
  const touching = setInterval(() => touch(folder), TOUCH_MS);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (read(folder.at(MUTEX_FILE)) === mine) rmSync(folder.at(MUTEX_FILE), { force: true });
  }
}

function create(path: string, text: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, text);
    closeSync(file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Only one at a time looks at the file and removes it: nobody removes what another has created since. */
function takeOver(folder: Folder, mine: string): boolean {
  const path = folder.at(MUTEX_FILE);
  if (!isStale(path)) return false;
  const guard = folder.at(TAKEOVER_FILE);
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
  const text = read(path);
  if (text === undefined) return false;
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const age = Date.now() - modified;
  // Killed between creating and writing it.
  if (text === '') return age > EMPTY_MS;
  const isOld = age > STALE_MS;
  try {
    const { pid, started, host } = JSON.parse(text) as { pid: unknown; started: unknown; host: unknown };
    if (host !== hostname() || typeof pid !== 'number' || !(pid > 0)) return isOld;
    return !isAlive(pid) || startOf(pid) !== started;
  } catch {
    return isOld;
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

/** When a process started, as far as the system tells: ids are used again. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EISDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

function touch(folder: Folder): void {
  try {
    utimesSync(folder.at(MUTEX_FILE), new Date(), new Date());
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function held(folder: Folder): SkillError {
  return new SkillError(
    `Another command changes the skills in ${folder.path}`,
    `Wait for it. If there is none, remove ${folder.path}/${MUTEX_FILE}.`,
  );
}
