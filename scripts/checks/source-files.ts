import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../services.ts';

const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };

/** The workspaces of package.json, relative to the root. */
export const WORKSPACES: readonly string[] = workspaces.flatMap((pattern) =>
  findFiles(`${pattern}/package.json`).map((path) => dirname(path)),
);

/** The files of this repository that match, relative to the root. */
export function findFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
}

/** A source file; `path` is relative to the root. */
export interface SourceFile {
  path: string;
  text: string;
}

/** All TypeScript and JavaScript files of the workspaces. */
export function readSourceFiles(): SourceFile[] {
  const files = findFiles(`{${WORKSPACES.join(',')}}/**/*.{ts,tsx,mjs,js}`);
  return files.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}
