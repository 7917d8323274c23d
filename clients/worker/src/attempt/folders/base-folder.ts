import { randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';

/** In the folder of a worker: copies of repositories, which attempts clone. */
export const REPOSITORY_CACHE = '.repositories';
const LOCK = 'worker.lock';
const ID = 'worker-id';
const TOUCH_MS = 30_000;
/** After so long without a touch, a lock of another machine is stale. */
const STALE_MS = 120_000;
const MAX_HOST = 80;

/** The folder of a worker's attempts, which belongs to one running worker at a time. */
export interface BaseFolder {
  path: string;
  /** The same for every worker of this folder, so that it is offered the tasks that continue its own. */
  workerId: string;
  unlock(): void;
}

interface Lock {
  host: string;
  pid: number;
  /** Of the process, in ticks since the machine's start; null where unknown. */
  startedAt: string | null;
}

/** `$XDG_STATE_HOME/agent-fleet/workers/<runtime>`, by default below `~/.local/state`. */
export function defaultBaseFolder(env: NodeJS.ProcessEnv, runtime: string): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local/state');
  return join(state, 'agent-fleet/workers', runtime);
}

/** Creates and locks the folder. @throws Error, for the user, if it is another worker's, not empty or not writable */
export function openBaseFolder(folder: string): BaseFolder {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const names = readdirSync(path);
    // What is in this folder will be deleted some day.
    if (names.length > 0 && !names.includes(ID)) {
      throw new Error('it is not empty, and no worker has used it before');
    }
    const workerId = readWorkerId(path);
    return { path, workerId, unlock: lock(join(path, LOCK)) };
  } catch (error) {
    throw new Error(`The folder ${path} cannot be used for workspaces: ${messageOf(error)}`, { cause: error });
  }
}

function readWorkerId(path: string): string {
  const file = join(path, ID);
  try {
    const id = readFileSync(file, 'utf8').trim();
    if (/^[\x21-\x7e]{1,100}$/.test(id)) return id;
  } catch {
    // There is none yet.
  }
  const id = `${hostname().slice(0, MAX_HOST)}-${randomBytes(4).toString('hex')}`;
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}

/** @throws Error if a running worker has the lock */
function lock(file: string): () => void {
  const mine = JSON.stringify({ host: hostname(), pid: process.pid, startedAt: startOf(process.pid) } satisfies Lock);
  const created = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(created, mine, { mode: 0o600 });
  try {
    while (!tryLink(created, file)) removeStale(file);
  } finally {
    rmSync(created, { force: true });
  }
  const timer = setInterval(() => touch(file), TOUCH_MS).unref();
  return () => {
    clearInterval(timer);
    if (readText(file) === mine) rmSync(file, { force: true });
  };
}

/** Whether the lock is ours now: of several workers one succeeds. */
function tryLink(created: string, file: string): boolean {
  try {
    linkSync(created, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function removeStale(file: string): void {
  const text = readText(file);
  if (text === undefined) return;
  const holder = parseLock(text);
  if (holder !== undefined && isHeld(holder, file)) {
    throw new Error(`the worker with process id ${holder.pid} on ${holder.host} is using it; give each worker its own`);
  }
  const stale = `${file}.stale-${randomBytes(4).toString('hex')}`;
  try {
    renameSync(file, stale);
  } catch {
    // Another worker was faster.
    return;
  }
  // Another worker may have replaced the stale lock before the renaming.
  if (readText(stale) !== text) tryLink(stale, file);
  rmSync(stale, { force: true });
}

function isHeld({ host, pid, startedAt }: Lock, file: string): boolean {
  if (host !== hostname()) return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < STALE_MS;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startedAt === startOf(pid);
}

function parseLock(text: string): Lock | undefined {
  try {
    const lock = JSON.parse(text) as Partial<Lock> | null;
    const isLock = typeof lock?.host === 'string' && Number.isInteger(lock.pid) && (lock.pid as number) > 0;
    return isLock ? (lock as Lock) : undefined;
  } catch {
    return undefined;
  }
}

/** Tells a process from a later one with the same id. */
function startOf(pid: number): string | null {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    );
  } catch {
    return null;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The next worker then counts the lock as stale, if it is on another machine.
  }
}
