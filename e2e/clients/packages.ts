import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The folder of an installed package, as `from` finds it. */
export function packageOf(name: string, from: string): string {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')));
  if (folder === undefined) throw new Error(`${name} is not installed`);
  return realpathSync(folder);
}

/** The ES module that a package exports. */
export function entryOf(folder: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { import: module, default: file } = exports['.'] ?? exports;
  return join(folder, module ?? file);
}
