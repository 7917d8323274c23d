import { lstat, mkdir, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import type { AttemptFolders } from './runtime.ts';

/** How long a person may take to answer a tool: a program's own limit would be minutes. */
export const MAX_ASK_MS = 604_800_000;

/**
 * Writes a file below the home of an attempt; `path` is relative to it. A continued session's home is what an agent
 * left: a link in the place of a folder or of the file is replaced, never followed.
 */
export async function writeHomeFile(folders: AttemptFolders, path: readonly string[], content: string | Buffer) {
  await writeFile(await clearPlace(folders, path), content, { mode: 0o600, flag: 'wx' });
}

/** Makes a folder below the home that has a link to each skill, and nothing else. */
export async function linkSkills(folders: AttemptFolders, path: readonly string[], names: readonly string[]) {
  const folder = await clearPlace(folders, path);
  await mkdir(folder, { mode: 0o700 });
  for (const name of names) await symlink(join(folders.skills, name), join(folder, name));
}

/** Has all attempts share a folder of packages, which a program would unpack into the home of each. */
export async function shareFolder(folders: AttemptFolders, path: readonly string[]): Promise<void> {
  // Beside the tasks.
  const shared = join(dirname(dirname(folders.root)), SHARED, ...path);
  await mkdir(shared, { recursive: true, mode: 0o700 });
  await symlink(shared, await clearPlace(folders, path));
}

/** Deletes what is at a path below the home, whose folders are made. */
async function clearPlace({ home }: AttemptFolders, path: readonly string[]): Promise<string> {
  let place = home;
  for (const [at, name] of path.entries()) {
    place = join(place, name);
    const isFolder = at < path.length - 1 && (await lstat(place).catch(() => undefined))?.isDirectory();
    if (isFolder) continue;
    await rm(place, { recursive: true, force: true });
    if (at < path.length - 1) await mkdir(place, { mode: 0o700 });
  }
  return place;
}

/** Paths of files below a folder of the home, relative to the home; no link is followed. */
export async function homeFiles({ home }: AttemptFolders, folder: string, isWanted: (path: string) => boolean) {
  const entries = await readdir(join(home, folder), { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.map((path) => relative(home, path)).filter(isWanted);
}

/** No name of a task. */
const SHARED = '.shared';

const folderOf = ({ root }: AttemptFolders) => join(root, 'set-aside');

/**
 * Moves files and folders of the workspace, by their paths in it, away while a program works that would obey them
 * whatever it is told. What an earlier attempt did not put back is put back first.
 */
export async function setAside(folders: AttemptFolders, names: readonly string[]): Promise<void> {
  await putBack(folders);
  await mkdir(folderOf(folders), { mode: 0o700 });
  for (const name of names) {
    if (!(await isInFolder(folders.workspace, name))) continue;
    await rename(join(folders.workspace, name), join(folderOf(folders), encodeURIComponent(name))).catch(ignoreMissing);
  }
}

/** Puts back what was set aside, but not over what the agent has put in its place. */
export async function putBack(folders: AttemptFolders): Promise<void> {
  const aside = await readdir(folderOf(folders)).catch(() => []);
  for (const file of aside) {
    const name = decodeURIComponent(file);
    const isFree = !(await lstat(join(folders.workspace, name)).catch(() => undefined));
    if (!isFree || !(await isInFolder(folders.workspace, name))) continue;
    await rename(join(folderOf(folders), file), join(folders.workspace, name)).catch(ignoreMissing);
  }
  await rm(folderOf(folders), { recursive: true, force: true });
}

/** Whether a path is below folders of the workspace, and not below a link in it. */
async function isInFolder(workspace: string, name: string): Promise<boolean> {
  const parents = dirname(name) === '.' ? [] : dirname(name).split('/');
  for (const at of parents.keys()) {
    const found = await lstat(join(workspace, ...parents.slice(0, at + 1))).catch(() => undefined);
    if (!found?.isDirectory()) return false;
  }
  return true;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Each is a mount in a sandbox. */
const MAX_PATHS = 1_000;

/** What commands of an agent need not see, where its runtime has a sandbox that hides paths. */
export interface HiddenPaths {
  /** The folders of all attempts, and those of temporary files; this attempt's are in them. */
  attempts: string[];
  /** What is beside this attempt at its start, for a sandbox that cannot hide a folder and show a part of it. */
  otherAttempts: string[];
  /** In the worker's home directory, such as `.ssh`: all but what leads to programs on PATH or to the attempts. */
  home: string[];
}

/** Looks for what to hide from an attempt: files of other tasks, and credentials of the user of the worker. */
export async function findHiddenPaths({ root, tmp }: AttemptFolders): Promise<HiddenPaths> {
  const task = dirname(root);
  const attempts = dirname(task);
  const programs = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const needed = await Promise.all([attempts, ...programs].map((path) => realpath(path).catch(() => path)));
  const kept = [...needed, ...programs, attempts];
  const home = homedir();
  // A container's user without an entry in passwd has `/`.
  const inHome = dirname(home) === home ? [] : await entriesOf(home);
  const siblings = [...(await siblingsOf(task)), ...(await siblingsOf(root))];
  const others = isWithin(tmp, root) ? [] : await siblingsOf(tmp);
  return {
    attempts: [attempts, ...(isWithin(tmp, root) ? [] : [dirname(tmp)])],
    otherAttempts: [...siblings, ...others].slice(0, MAX_PATHS),
    home: inHome.filter((path) => !kept.some((other) => isWithin(other, path))).slice(0, MAX_PATHS),
  };
}

const siblingsOf = async (path: string) => (await entriesOf(dirname(path))).filter((other) => other !== path);

async function entriesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // A mount does not follow links, and sockets need none.
  return entries.filter((entry) => entry.isDirectory() || entry.isFile()).map(({ name }) => join(folder, name));
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);
