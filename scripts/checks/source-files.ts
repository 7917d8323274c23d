import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../services.ts';

const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };

/** The workspaces of package.json, relative to the root, with slashes. */
export const WORKSPACES: readonly string[] = workspaces.flatMap((pattern) =>
  globSync(`${pattern}/package.json`, { cwd: ROOT }).map((path) => dirname(path.replaceAll('\\', '/'))),
);

/** A source file; `path` is relative to the root, with slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

/** All TypeScript and JavaScript files of the workspaces. */
export function readSourceFiles(): SourceFile[] {
  const pattern = `{${WORKSPACES.join(',')}}/**/*.{ts,mjs,js}`;
  return globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}
