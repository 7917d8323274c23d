import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import type { AttemptFolders } from './runtime.ts';

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
