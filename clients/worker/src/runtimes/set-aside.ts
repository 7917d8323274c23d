import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AttemptFolders, RuntimeEvent } from './runtime.ts';

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

/** The same events; the files are back before anyone looks at what has changed. */
export async function* withFilesBack(events: AsyncIterable<RuntimeEvent>, folders: AttemptFolders) {
  try {
    yield* events;
  } finally {
    await putBack(folders);
  }
}

/** Puts them back, but not over what the agent has put in their places. */
async function putBack(folders: AttemptFolders): Promise<void> {
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
