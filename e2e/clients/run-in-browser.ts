// node --experimental-vm-modules run-in-browser.ts <folder>: runs <folder>/program.js with the packages in it where
// there is nothing but a browser's globals: no `process`, no `Buffer`, and no modules but those of the packages. Prints
// what it exports.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createContext, SourceTextModule } from 'node:vm';
import { entryOf, packageOf } from './packages.ts';

/** What a page has of a browser's globals. */
const BROWSER_GLOBALS = [
  ...['AbortController', 'AbortSignal', 'FormData', 'Headers', 'ReadableStream', 'Request', 'Response', 'TextDecoder'],
  ...['URL', 'URLSearchParams', 'clearTimeout', 'crypto', 'fetch', 'performance', 'setTimeout', 'console'],
];

const [, , folder = '.'] = process.argv;
const globals = Object.fromEntries(BROWSER_GLOBALS.map((name) => [name, globalThis[name as keyof typeof globalThis]]));
const context = createContext(globals);
const modules = new Map<string, SourceTextModule>();

function load(path: string): SourceTextModule {
  const text = readFileSync(path, 'utf8');
  const known = modules.get(path) ?? new SourceTextModule(text, { context, identifier: path });
  modules.set(path, known);
  return known;
}

const link = (specifier: string, { identifier }: { identifier: string }) => {
  if (specifier.startsWith('.')) return load(join(dirname(identifier), specifier));
  if (specifier.startsWith('node:')) throw new Error(`${identifier} imports ${specifier}`);
  return load(entryOf(packageOf(specifier, folder)));
};
const main = load(join(folder, 'program.js'));
await main.link(link as Parameters<SourceTextModule['link']>[0]);
await main.evaluate();
console.log(JSON.stringify({ ...main.namespace }));
