import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '@agent-fleet/skills/skill-error';
import { CliError, EXIT } from './errors.ts';

const WAIT_MS = 30_000;
const POLL_MS = 50;
/** A holder on another host touches its file this often; it counts as dead when it has not for `STALE_MS`. */
const TOUCH_MS = 10_000;
const STALE_MS = 120_000;
const EMPTY_MS = 2_000;

/** Where the file of the mutex is. */
export interface Place {
  path: string;
  at(name: string): string;
}

/**
 * Holds the mutex of a folder while `work` runs. It is a file with the process id and host, so that what a killed
 * process left can be told and taken over; only one at a time may take over.
 * @throws CliError if another command holds it for 30 s
 */
export async function withMutex<T>(
  folder: Place,
  name: string,
  work: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), host: hostname(), id: randomUUID() });
  const deadline = Date.now() + WAIT_MS;
  const mutex = () => folder.at(name);
  const guard = () => folder.at(`${name}-takeover`);
  while (!create(mutex(), mine) && !takeOver(mutex(), guard(), mine)) {
    if (Date.now() > deadline) throw held(folder, name);
    await sleep(POLL_MS, undefined, { signal });
  }
  const touching = setInterval(() => touch(mutex()), TOUCH_MS);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (read(mutex()) === mine) rmSync(mutex(), { force: true });
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
function takeOver(path: string, guard: string, mine: string): boolean {
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

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function held({ path }: Place, name: string): CliError {
  const hint = `Wait for it. If there is none, remove ${path}/${name}.`;
  return new CliError(EXIT.failed, 'busy', `Another command is changing ${path}`, hint);
}
