import { basename, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/**
 * Modules that are imported on demand, and built alone. In one build with the pages, what they share with them would be
 * split into further files, and over HTTP/1.1 a page loads six at a time: its first request of the API would wait.
 */
export const BUILT_ALONE = ['clients/web/src/markdown/parse-markdown.ts'];

/** Leads dynamic imports of modules that are `BUILT_ALONE` to the files of their build. */
export function importBuilt({ outputs }: Metafile, root: string): Plugin {
  const files = new Map(
    Object.entries(outputs).map(([path, { entryPoint = '' }]) => [join(root, entryPoint), `./${basename(path)}`]),
  );
  return {
    name: 'import-built',
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const file = kind === 'dynamic-import' ? files.get(join(resolveDir, path)) : undefined;
        return file === undefined ? undefined : { path: file, external: true };
      });
    },
  };
}
