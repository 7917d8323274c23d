import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isAttemptMark, workerMarkOf } from '../../processes/marked-processes.ts';
import type { AttemptFolders } from '../../runtimes/runtime.ts';
import { type Clone, isClone } from '../../workspace/git-workspace.ts';

const MARKER = 'attempt.json';
const MAX_MARKER_BYTES = 64 * 1024;
const FORCED_REMOVAL = '{ chmod -R u+rwx "$1"; rm -rf "$1"; } 2>/dev/null';
const SAFE_NAME = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** How an attempt ended. */
export type AttemptEnd = 'completed' | 'failed' | 'cancelled' | 'abandoned' | 'suspended';

/** What the worker remembers of an attempt, beside its folders. */
export interface Marker {
  /** The task that it works on, or worked on last: a continued session keeps its folders. */
  task: string;
  /** All tasks of the session, in their order. */
  tasks: string[];
  runtime: string;
  session: string | null;
  /** Whether it has asked a person: it may go on even after the worker was killed. */
  hasAsked?: boolean;
  /** Of the repository in its workspace. */
  clone: Clone | null;
  /** Of its processes. */
  mark: string;
  startedAt: number;
  /** Null while it runs, and after the worker was killed. */
  end: AttemptEnd | null;
  endedAt: number | null;
}

/**
 * The paths of an attempt. That of the temporary folder is short, as sockets have paths of at most 107 bytes, and has
 * the mark of the processes in its name.
 */
function foldersOf(root: string, { mark }: Marker): AttemptFolders {
  return {
    root,
    workspace: join(root, 'workspace'),
    home: join(root, 'home'),
    skills: join(root, 'skills'),
    tmp: join(tmpdir(), `fleet-${workerMarkOf(mark)}`, mark),
    events: join(root, 'events.jsonl'),
  };
}

/** The folder of an attempt. @throws RangeError for an id that is no name of a folder */
export function attemptRoot(base: string, task: string, attempt: number): string {
  if (!SAFE_NAME.test(task)) throw new RangeError(`The id of the task is no name of a folder: ${task.slice(0, 128)}`);
  return join(base, task, String(attempt));
}

/** Creates the folders of an attempt, for this user only. What an attempt of this number left is deleted. */
export async function createFolders(root: string, marker: Marker): Promise<AttemptFolders> {
  await removeFolder(root);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeMarker(root, marker);
  const folders = foldersOf(root, marker);
  for (const folder of [folders.workspace, folders.home, folders.skills]) await mkdir(folder, { mode: 0o700 });
  await mkdir(folders.tmp, { recursive: true, mode: 0o700 });
  return folders;
}

/** Deletes the temporary folder of an attempt, and that of its worker with the last one. */
export async function removeTemporary(root: string, marker: Marker): Promise<void> {
  const { tmp } = foldersOf(root, marker);
  await removeFolder(tmp);
  await rmdir(dirname(tmp)).catch(() => {});
}

/** Empties what a continued session does not need. @throws Error if the rest is not what this worker made */
export async function renewFolders(root: string, marker: Marker): Promise<AttemptFolders> {
  const folders = foldersOf(root, marker);
  for (const folder of [folders.workspace, folders.home]) {
    // An agent may have put a link there.
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder any more`);
  }
  await removeFolder(folders.skills);
  await mkdir(folders.skills, { mode: 0o700 });
  await mkdir(folders.tmp, { recursive: true, mode: 0o700 });
  return folders;
}

export async function writeMarker(root: string, marker: Marker): Promise<void> {
  const temporary = join(root, `${MARKER}.new`);
  // An agent may have put a link or a pipe there, which would be followed, or waited for without end.
  await removeFolder(temporary);
  await writeFile(temporary, `${JSON.stringify(marker)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, join(root, MARKER));
}

/** Undefined for a folder without a marker, or with one that a program has changed beyond recognition. */
export async function readMarker(root: string): Promise<Marker | undefined> {
  try {
    const path = join(root, MARKER);
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > MAX_MARKER_BYTES) return undefined;
    const marker = JSON.parse(await readFile(path, 'utf8')) as Marker;
    return isMarker(marker) ? marker : undefined;
  } catch {
    return undefined;
  }
}

function isMarker(value: Partial<Marker> | null): boolean {
  return (
    typeof value?.task === 'string' &&
    Array.isArray(value.tasks) &&
    typeof value.runtime === 'string' &&
    (value.session === null || typeof value.session === 'string') &&
    (value.clone === null || isClone(value.clone ?? null)) &&
    isAttemptMark(value.mark) &&
    typeof value.startedAt === 'number'
  );
}

/** Paths of all attempts below the base, in no order. */
export async function listAttempts(base: string): Promise<string[]> {
  const roots: string[] = [];
  for (const task of await namesIn(base)) {
    if (!SAFE_NAME.test(task)) continue;
    const attempts = (await namesIn(join(base, task))).filter((name) => /^\d+$/.test(name));
    roots.push(...attempts.map((name) => join(base, task, name)));
  }
  return roots;
}

/** Deletes the folders of tasks without an attempt, as a worker leaves one that is killed at the wrong moment. */
export async function removeEmptyTasks(base: string): Promise<void> {
  const tasks = (await namesIn(base)).filter((name) => SAFE_NAME.test(name));
  // Others are not empty.
  for (const task of tasks) await rmdir(join(base, task)).catch(() => {});
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Deletes a folder, whatever an agent has made of it; links are not followed. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // Folders that may not be written, or so deep in each other that Node has no path for the last ones.
    const env = { PATH: process.env.PATH };
    await promisify(execFile)('/bin/sh', ['-c', FORCED_REMOVAL, 'sh', folder], { env }).catch((cause) => {
      throw new Error(`${folder} cannot be deleted`, { cause });
    });
  }
}
