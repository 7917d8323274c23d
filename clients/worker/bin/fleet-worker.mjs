#!/usr/bin/env node
// Plain JavaScript: finds a Node that runs TypeScript, either this one or the one in node_modules.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, '../src/cli.ts');

if (process.features.typescript) await import('../src/cli.ts');
else runBy(findNode(here));

/**
 * @param {string} folder
 * @returns {string | undefined}
 */
function findNode(folder) {
  const node = join(folder, 'node_modules/.bin/node');
  if (existsSync(node)) return node;
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}

/** @param {string | undefined} node */
function runBy(node) {
  if (node === undefined) {
    console.error(
      `fleet-worker needs Node 22.18 or newer, this is ${process.version}: run npm ci in the repository first`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [cli, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`fleet-worker: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}
