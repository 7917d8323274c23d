import { dirname, join } from 'node:path/posix';
import { specifiersOf } from './import-star.ts';
import type { SourceFile } from './source-files.ts';

/** Nothing is left of it at run time. */
const TYPE_IMPORT = /^(import|export) type [^;]*;$/gm;

/** One import cycle at run time, such as `a.ts → b.ts → a.ts`; undefined if there is none. */
export function findImportCycle(files: readonly SourceFile[]): string | undefined {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const visit = (path: string, from: readonly string[]): string | undefined => {
    if (from.includes(path)) return [...from.slice(from.indexOf(path)), path].join(' → ');
    if (done.has(path)) return undefined;
    for (const target of imports.get(path) ?? []) {
      const cycle = visit(target, [...from, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of imports.keys()) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function importsOf({ path, text }: SourceFile): string[] {
  return specifiersOf(text.replaceAll(TYPE_IMPORT, ''))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier));
}
