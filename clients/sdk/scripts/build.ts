import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** Builds the package for a registry: JavaScript and declarations. Inside the repository the sources run. */

const PACKAGE = resolve(import.meta.dirname, '..');
const [folder = join(PACKAGE, '../../.data/sdk')] = process.argv.slice(2);
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', folder], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
const { name, version, license, type, dependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const published = {
  ...{ name, version, license, type },
  description: 'The TypeScript SDK of Agent Fleet.',
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    './exact-json': { types: './exact-json.d.ts', default: './exact-json.js' },
  },
  sideEffects: false,
  engines: { node: '>=20' },
  dependencies,
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
for (const file of ['README.md', '../../LICENSE'])
  copyFileSync(join(PACKAGE, file), join(folder, file.split('/').at(-1) ?? ''));
