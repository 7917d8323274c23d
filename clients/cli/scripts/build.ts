import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the package that is published into a folder: the command line, and as modules the SDK and the library of the
 * worker. It has no dependencies. In the repository, the sources run.
 */

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, 'clients/cli');
const OLDEST_NODE = '20.12';
const BIN = `#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
// Not the default folder: what is in /tmp, others may have written.
nodeModule.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fleet'));
await import('./main.mjs');
`;
const [folder = join(ROOT, '.data/cli')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: {
    main: join(PACKAGE, 'src/main.ts'),
    sdk: join(ROOT, 'clients/sdk/src/index.ts'),
    worker: join(ROOT, 'clients/worker/src/index.ts'),
  },
  inject: [join(PACKAGE, 'scripts/for-node-20.ts')],
  outdir: resolve(folder),
  bundle: true,
  // A chunk for each command: what a command does not need is not read.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  platform: 'node',
  target: `node${OLDEST_NODE}`,
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // Some packages are CommonJS.
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
});

const { version, license, type } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const published = {
  ...{ name: 'agent-fleet', version, license, type },
  description: 'The command line, the worker and the SDK of Agent Fleet.',
  bin: { fleet: 'fleet.mjs' },
  exports: { '.': './sdk.mjs', './worker': './worker.mjs' },
  engines: { node: `>=${OLDEST_NODE}` },
};
writeFileSync(join(folder, 'fleet.mjs'), BIN, { mode: 0o755 });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
writeFileSync(
  join(folder, 'THIRD-PARTY-LICENSES'),
  bundledPackages(Object.keys(metafile.inputs)).map(licenceOf).join('\n'),
);
copyFileSync(join(PACKAGE, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));

/** The folders of the packages of others that files come from. */
function bundledPackages(files: readonly string[]): string[] {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((found) => found !== undefined))].sort();
}

/** A package without a file of its own states its licence and its author only. */
function licenceOf(place: string): string {
  const path = join(ROOT, place);
  const file = readdirSync(path).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const about = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const text = file === undefined ? `${about.license}, ${about.author}` : readFileSync(join(path, file), 'utf8');
  return `${about.name} ${about.version}\n\n${text.trim()}\n`;
}
