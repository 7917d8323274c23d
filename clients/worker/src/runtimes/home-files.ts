import { lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptFolders } from './runtime.ts';

/**
 * Writes a file below the home of an attempt; `path` is relative to it. A continued session's home is what an agent
 * left: a link in the place of a folder or of the file is replaced, never followed.
 */
export async function writeHomeFile({ home }: AttemptFolders, path: readonly string[], text: string): Promise<void> {
  const file = join(await makeFolder(home, path.slice(0, -1)), path.at(-1) as string);
  await rm(file, { recursive: true, force: true });
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}

/** Makes a folder below the home that has a link to each skill, and nothing else. */
export async function linkSkills(
  { home, skills }: AttemptFolders,
  path: readonly string[],
  names: readonly string[],
): Promise<void> {
  const folder = join(await makeFolder(home, path.slice(0, -1)), path.at(-1) as string);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  for (const name of names) await symlink(join(skills, name), join(folder, name));
}

async function makeFolder(home: string, names: readonly string[]): Promise<string> {
  let folder = home;
  for (const name of names) {
    folder = join(folder, name);
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory()) continue;
    await rm(folder, { force: true });
    await mkdir(folder, { mode: 0o700 });
  }
  return folder;
}
