// Entry point of `npm start`, `npm run demo`, `npm test`, `npm run test:long`, `npm run bench`, `npm run faults` and
// `.ci/run`. Needs only Node 20 and npm: it installs the packages and Node 26, which is one of them, and then runs the
// TypeScript that does the work.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planInstallation, readPackages } from './local/packages.mjs';
import { installSystemPackage } from './local/system-packages.mjs';

const SCRIPTS = {
  start: 'launcher/start.ts',
  demo: 'demo/demo.ts',
  bench: '../bench/bench.ts',
  compose: '../e2e/compose.ts',
  faults: '../e2e/faults.ts',
};
const JEST = '../node_modules/jest/bin/jest.js';
/** Names of the runs in jest.config.mjs. */
const TESTS = { test: 'quick', 'test:browser': 'browser', 'test:long': 'long', 'test:night': 'night' };
const NODE_MAJOR = 26;
const LIBATOMIC = { 'apt-get': 'libatomic1', apk: 'libatomic', dnf: 'libatomic' };
const PARENT_POLL_MS = 500;
const SHOWN_LINES = 40;
const KEPT_CHARACTERS = 64 * 1024;
/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const scripts = dirname(fileURLToPath(import.meta.url));
const root = dirname(scripts);
const bin = join(root, 'node_modules', '.bin');
const node26 = join(bin, 'node');
const firstParent = process.ppid;

try {
  process.exitCode = await main(process.argv[2] ?? '', process.argv.slice(3));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/**
 * @param {string} command
 * @param {string[]} args
 */
async function main(command, args) {
  const tests = TESTS[/** @type {keyof typeof TESTS} */ (command)];
  const script = tests ? JEST : SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (command)];
  if (!script) throw new Error(`Usage: node scripts/run.mjs ${Object.keys({ ...SCRIPTS, ...TESTS }).join('|')}`);
  const installation = planInstallation({ ...readPackages(root), toRun: command === 'start' || command === 'demo' });
  if (installation) await install(installation);
  const node = findNode();
  // The compile cache halves the processor time of a start, and spares the compiler for TypeScript, which takes 25 MB
  // (measured).
  const cache = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/agent-fleet');
  const env = {
    // One arena of glibc's malloc instead of one per thread: 20 MB less (measured).
    MALLOC_ARENA_MAX: '1',
    ...process.env,
    PATH: [bin, process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: cache,
    ...(tests && { TESTS: tests }),
  };
  // The channel closes when this process ends, even by kill -9; the script then stops.
  const { code } = await run(node, [join(scripts, script), ...args], {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  return code;
}

/** The path of a Node 26 that runs. */
function findNode() {
  let problem = nodeProblem();
  if (problem && Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath;
  if (problem && lacksLibatomic(problem) && installSystemPackage(LIBATOMIC, console.log)) problem = nodeProblem();
  if (!problem) return node26;
  throw new Error(
    lacksLibatomic(problem)
      ? `Node ${NODE_MAJOR} needs the system library libatomic.so.1: install it (Debian, Ubuntu: sudo apt-get install libatomic1) and try again.`
      : `Node ${NODE_MAJOR} does not run from ${node26} (${problem}): install Node ${NODE_MAJOR} yourself and try again.`,
  );
}

/** @param {string} problem */
function lacksLibatomic(problem) {
  return problem.includes('libatomic.so.1');
}

/** Why node_modules/.bin/node cannot run; undefined if it can. */
function nodeProblem() {
  const { status, stdout, stderr, error } = spawnSync(node26, ['--version'], { encoding: 'utf8' });
  if (status === 0) return stdout.startsWith(`v${NODE_MAJOR}.`) ? undefined : `it is ${stdout.trim()}`;
  return error?.message ?? (stderr.trim() || `exit code ${status}`);
}

/**
 * Runs npm and shows its output only when it fails: its warnings concern Node 20, which runs only this file.
 * @param {import('./local/packages.mjs').Installation} installation
 */
async function install({ what, args }) {
  console.log(`${what} …`);
  const began = Date.now();
  // Not node_modules/.bin: npm must not run on the Node that it replaces.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const options = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  const { code, output } = await run('npm', [...args, ...options], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (code !== 0) {
    console.error(output.trim().split('\n').slice(-SHOWN_LINES).join('\n'));
    throw new Error(`The packages were not installed: npm ${args.join(' ')} ended with ${code}, see above.`);
  }
  console.log(`Installed in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/**
 * Runs a command to its end; signals are passed on to it.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ code: number, output: string }>} `output`: the end of what it wrote into pipes
 */
function run(command, args, options) {
  const child = spawn(command, args, { cwd: root, ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output = (output + data).slice(-KEPT_CHARACTERS);
    });
  }
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  const watch = setInterval(() => {
    if (!parentIsGone()) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, PARENT_POLL_MS);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), output }),
    );
  }).finally(() => {
    clearInterval(watch);
    for (const signal of FORWARDED) process.off(signal, forward);
  });
}

/** Whether the npm that runs this was killed with -9, which it cannot pass on. */
function parentIsGone() {
  return process.env.npm_lifecycle_event !== undefined && process.ppid !== firstParent;
}
