#!/usr/bin/env node
// Plain JavaScript: finds a Node that runs TypeScript, either this one or the one in node_modules.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

if (process.features.typescript) {
  // Not the default folder: what is in /tmp, others may have written.
  nodeModule.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fleet'));
  await import('../src/main.ts');
} else runBy(findNode(here));

/**
 * @param {string} folder
 * @returns {string | undefined}
 */
function findNode(folder) {
  const node = join(folder, 'node_modules/.bin/node');
  if (existsSync(node)) return realpathSync(node);
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}

/** @param {string | undefined} node */
function runBy(node) {
  if (node === undefined) {
    console.error(`fleet needs Node 22.18 or newer, this is ${process.version}: run npm ci in the repository first`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`fleet: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}
