// Plain JavaScript: scripts/run.mjs uses it before there is a Node that runs TypeScript.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const TIMEOUT_MS = 300_000;

/** @typedef {'apt-get' | 'apk' | 'dnf' | 'brew'} Manager */

/** @type {{ name: Manager, install: string[], update?: string[] }[]} */
const MANAGERS = [
  { name: 'apt-get', update: ['update'], install: ['install', '-y', '--no-install-recommends'] },
  { name: 'apk', install: ['add', '--no-cache'] },
  { name: 'dnf', install: ['install', '-y'] },
  { name: 'brew', install: ['install'] },
];

/**
 * The path of the first of `names` that is an executable on PATH.
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Installs a package by the system's package manager where that needs no prompt: as root, by a sudo without password,
 * or by brew.
 * @param {Partial<Record<Manager, string>>} packages the name of the package for each manager
 * @param {(line: string) => void} say receives a line about each step
 * @returns {boolean} whether it was installed
 */
export function installSystemPackage(packages, say) {
  const manager = MANAGERS.find(({ name }) => packages[name] !== undefined && findOnPath([name]));
  const name = manager && packages[manager.name];
  const prefix = manager && withoutPrompt(manager.name);
  if (!manager || !name || !prefix) return false;
  say(`Installing ${name}: ${[manager.name, ...manager.install, name].join(' ')}`);
  const run = (/** @type {string[]} */ args) => runQuietly([...prefix, manager.name, ...args]);
  let error = run([...manager.install, name]);
  if (error && manager.update) error = run(manager.update) ?? run([...manager.install, name]);
  if (error) say(`It could not be installed: ${error}`);
  return !error;
}

/**
 * What goes before the command so that it asks for nothing; undefined when it would ask.
 * @param {Manager} name
 * @returns {string[] | undefined}
 */
function withoutPrompt(name) {
  const isRoot = process.getuid?.() === 0;
  if (name === 'brew') return isRoot ? undefined : [];
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive'];
  if (isRoot) return quiet;
  const sudo = findOnPath(['sudo']);
  return sudo && spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? [sudo, '-n', ...quiet] : undefined;
}

/**
 * @param {string[]} command
 * @returns {string | undefined} the problem, in one line
 */
function runQuietly([file = '', ...args]) {
  const { status, error, stderr } = spawnSync(file, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  if (status === 0) return undefined;
  const lines = (stderr ?? '').trim().split('\n');
  return lines.find((line) => /^(E:|error)/i.test(line)) ?? (lines.at(-1) || error?.message || `exit code ${status}`);
}
