import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** What the pages are built from. The lock file stands for the packages. */
const SOURCES = [
  'package-lock.json',
  'clients/web/package.json',
  'clients/web/scripts',
  'clients/web/src',
  'clients/sdk/src',
];

/** The folder of the pages for the present sources, whether they have been built or not. */
export function webRoot(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesIn)) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return join(ROOT, '.data/web', hash.digest('hex').slice(0, 16));
}

function filesIn(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  const entries = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .sort();
}
