import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeWheel } from './wheel.ts';

/**
 * Makes the clients that the gateway serves below `/download`: `node downloads.ts [folder]`. The package for npm has
 * the command line, the worker and the SDK. Not by `npm pack` and Python: `npm start` would take a second longer.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const [folder = join(ROOT, '.data/download')] = process.argv.slice(2);
const built = join(folder, 'package');

mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [join(ROOT, 'clients/cli/scripts/build.ts'), built], { stdio: 'inherit' });
// macOS would add files with attributes.
const env = { ...process.env, COPYFILE_DISABLE: '1' };
execFileSync('tar', ['-czf', join(folder, 'fleet.tgz'), '-C', folder, 'package'], { env });
rmSync(built, { recursive: true });
const { name, bytes } = makeWheel();
writeFileSync(join(folder, name), bytes);
