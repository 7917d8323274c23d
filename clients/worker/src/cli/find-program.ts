import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UsageError } from './usage-error.ts';

/** Finds the program like a shell. @throws UsageError, so that the mistake shows before the first task */
export function findProgram(program: string, path: string): string {
  const isPath = program.includes('/');
  const found = isPath ? [program].find(isExecutable) : findOnPath(program, path);
  if (found !== undefined) return found;
  if (!existsSync(program)) throw new UsageError(`${program} not found${isPath ? '' : ' on PATH'}`);
  if (!isPath) throw new UsageError(`${program} not found on PATH; did you mean ./${program}?`);
  throw new UsageError(`${program} is not an executable file (chmod +x?)`);
}

/** The program with this name, undefined if there is none. */
export function findOnPath(program: string, path: string): string | undefined {
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
