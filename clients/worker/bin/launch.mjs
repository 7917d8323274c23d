// Plain JavaScript, for any Node.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs a program in TypeScript: in this process if its Node can, else by the one in node_modules.
 *
 * @param {string} name
 * @param {URL} main
 */
export async function launch(name, main) {
  if (process.features.typescript) await import(main.href);
  else runBy(findNode(dirname(fileURLToPath(main))), name);
}

/**
 * @param {string} folder
 * @returns {string | undefined}
 */
function findNode(folder) {
  const node = join(folder, 'node_modules/.bin/node');
  if (existsSync(node)) return realpathSync(node);
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}

/**
 * @param {string | undefined} node
 * @param {string} name
 */
function runBy(node, name) {
  if (node === undefined) {
    console.error(`${name} needs Node 22.18 or newer, this is ${process.version}: run npm ci in the repository first`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}
