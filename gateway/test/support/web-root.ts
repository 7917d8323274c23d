import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { own } from '@agent-fleet/scripts/testing/own';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';

export const STYLE = 'body { color: red }';
export const SCRIPT = 'fetch("/session?optional=true")';
export const toShell = (name: string) =>
  `<!DOCTYPE html><title>${name}</title><style>${STYLE}</style><script>${SCRIPT}</script>` +
  `<script type="module" src="/assets/${name}-AAAA1111.js"></script>`;

export const FILES = {
  'catalogue.html': toShell('catalogue'),
  'console.html': toShell('console'),
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/catalogue-AAAA1111.js': 'console.log("catalogue");'.repeat(100),
  'assets/console-AAAA1111.js': 'console.log("console");'.repeat(100),
  'assets/tiny-BBBB2222.css': 'a{}',
  'assets/mark-CCCC3333.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'download/fleet.tgz': 'the package for npm',
  'download/agent_fleet-3.2.1-py3-none-any.whl': 'the package for Python',
  'notes.txt': 'not served',
};

const CODED = ['catalogue.html', 'console.html', 'assets/catalogue-AAAA1111.js', 'assets/console-AAAA1111.js'];

/** A folder with built pages; only larger files are there in other codings, too. */
export function createWebRoot(files: Record<string, string> = FILES): string {
  const root = makeDataDir('web-root-');
  own(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (!CODED.includes(name)) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(text));
    writeFileSync(`${path}.gz`, gzipSync(text));
  }
  return root;
}
