// `npm test`: runs every check to its end and prints the counts in its last line. Arguments go to jest.
import { join } from 'node:path';
import { exitOnSignals } from '../launcher/parent.ts';
import { ROOT } from '../services.ts';
import { runCommand } from '../testing/command.ts';
import { runJest } from './jest-run.ts';
import { describeOutcome, type Failure } from './outcome.ts';

const BIN = join(ROOT, 'node_modules/.bin');

/** Checks whose output is shown only when they fail. */
const CHECKS: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '-p', 'tsconfig.json'],
  ['types of the pages', 'tsc', '-p', 'clients/web'],
  ['types of the browser tests', 'tsc', '-p', 'e2e/browser'],
  ['lint and format', 'biome', 'check', '--error-on-warnings'],
  ['unused code', 'knip', '--no-progress'],
];

exitOnSignals();
const failed = (await Promise.all(CHECKS.map(([name, ...command]) => check(name, command)))).flat();
const tests = await runJest(process.argv.slice(2));
const failures = [...failed, ...tests.failures];
process.exitCode = failures.length === 0 ? 0 : 1;
console.log(describeOutcome({ passed: tests.passed + CHECKS.length - failed.length, failures }));

async function check(name: string, [file = '', ...args]: string[]): Promise<Failure[]> {
  const { exitCode, stdout, stderr, seconds } = await runCommand(join(BIN, file), args, { cwd: ROOT });
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
  return exitCode === 0 ? [] : [{ name, message: stdout + stderr }];
}
