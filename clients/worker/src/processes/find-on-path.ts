import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program with this path, or with this name on `path`, as a shell finds it. Undefined if there is none. */
export function findOnPath(program: string, path: string): string | undefined {
  if (program.includes('/')) return isExecutable(program) ? program : undefined;
  return path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
