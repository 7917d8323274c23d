import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptFolders, RuntimeEvent } from './runtime.ts';

const folderOf = ({ root }: AttemptFolders) => join(root, 'set-aside');

/**
 * Moves files and folders of the workspace away while a program works that would obey them whatever it is told. What
 * an earlier attempt did not put back is put back first.
 */
export async function setAside(folders: AttemptFolders, names: readonly string[]): Promise<void> {
  await putBack(folders);
  await mkdir(folderOf(folders), { mode: 0o700 });
  for (const name of names) {
    await rename(join(folders.workspace, name), join(folderOf(folders), name)).catch(ignoreMissing);
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
  const taken = new Set(await readdir(folders.workspace).catch(() => []));
  for (const name of aside) {
    if (!taken.has(name)) await rename(join(folderOf(folders), name), join(folders.workspace, name));
  }
  await rm(folderOf(folders), { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
