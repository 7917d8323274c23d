// `npm test`: every check of this repository, each to its end, and one line of sums. Arguments go to jest.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onParentGone } from '../launcher/parent.ts';
import { describeFailures, type Failure, jestFailures } from './failures.ts';
import { addSums, jestSums, type Sums } from './sums.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const MODULES = join(ROOT, 'node_modules');
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  `--import=${new URL('./record-rejections.ts', import.meta.url)}`,
  join(MODULES, 'jest/bin/jest.js'),
];

/** The quick ones, each a command that says nothing of interest when it passes. */
const CHECKS: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '-p', 'tsconfig.json'],
  ['lint and format', 'biome', 'check', '--error-on-warnings'],
  ['unused code', 'knip', '--no-progress'],
];

let running: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
onParentGone(() => end('SIGTERM'));

const sums: Sums[] = [];
const failures: Failure[] = [];
for (const [name, ...command] of CHECKS) sums.push(await check(name, command));
sums.push(await tests(process.argv.slice(2)));
const { passed, failed } = addSums(sums);
process.exitCode = failed === 0 ? 0 : 1;
if (failures.length > 0) console.log(describeFailures(failures));
console.log(`${passed} passed, ${failed} failed`);

async function check(name: string, [file = '', ...args]: string[]): Promise<Sums> {
  const { exitCode, output, seconds } = await run(join(MODULES, '.bin', file), args, 'pipe');
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (exitCode !== 0) failures.push({ name, message: output });
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function tests(args: string[]): Promise<Sums> {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-results-'));
  try {
    const report = join(dir, 'jest.json');
    process.env.REJECTIONS_FILE = join(dir, 'rejections');
    const { exitCode, seconds } = await run(
      process.execPath,
      [...JEST, '--json', `--outputFile=${report}`, ...args],
      'inherit',
    );
    const rejections = linesOf(process.env.REJECTIONS_FILE);
    const results = linesOf(report).join('\n');
    const result = jestSums(results, exitCode, rejections.length);
    failures.push(...jestFailures(results));
    for (const rejection of rejections) failures.push({ name: 'unhandled rejection', message: JSON.parse(rejection) });
    console.log(`${result.failed === 0 ? 'ok    ' : 'FAILED'} tests (${seconds} s)`);
    return result;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** None when the file was never written. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

async function run(file: string, args: string[], stdio: 'pipe' | 'inherit') {
  const began = performance.now();
  const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', stdio, stdio] });
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output, seconds: ((performance.now() - began) / 1000).toFixed(1) };
}

function end(signal: NodeJS.Signals): void {
  running?.kill(signal);
  process.exit(128 + constants.signals[signal]);
}
