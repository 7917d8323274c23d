import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import type { AttemptFolders } from '../runtimes/runtime.ts';
import type { Dependency } from '../task.ts';

const SAFE_NAME = /^[\w-]{1,64}$/;

/** Where an agent finds what its task comes after. */
export const dependencyFolder = ({ root }: AttemptFolders): string => join(root, 'dependencies');

/** Writes a file for each task that this one comes after, `<key or id>.json`. */
export async function writeDependencies(folders: AttemptFolders, dependencies: readonly Dependency[]): Promise<void> {
  if (dependencies.length === 0) return;
  const folder = dependencyFolder(folders);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const one of dependencies) {
    const name = [one.key, one.task_id].find((text) => text && SAFE_NAME.test(text));
    if (name) await writeFile(join(folder, `${name}.json`), `${exactJson.stringify(one)}\n`, { mode: 0o600 });
  }
}
