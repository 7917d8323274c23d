// `npm test`: runs every check to its end and prints the sums in its last line. Arguments go to jest.
import { join } from 'node:path';
import { exitOnSignals } from '../launcher/parent.ts';
import { runCommand } from '../local/command.ts';
import { ROOT } from '../services.ts';
import { describeFailures, type Failure } from './failures.ts';
import { runJest } from './jest-run.ts';
import { addSums, describeSums, type Sums } from './sums.ts';

const BIN = join(ROOT, 'node_modules/.bin');

/** Their output matters only when they fail. */
const CHECKS: [name: string, ...command: string[]][] = [
  ['types', 'tsc', '-p', 'tsconfig.json'],
  ['lint and format', 'biome', 'check', '--error-on-warnings'],
  ['unused code', 'knip', '--no-progress'],
];

exitOnSignals();
const failures: Failure[] = [];
const checks = await Promise.all(CHECKS.map(([name, ...command]) => check(name, command)));
const tests = await runJest(process.argv.slice(2));
failures.push(...tests.failures);
const sums = addSums([...checks, tests.sums]);
process.exitCode = sums.failed === 0 ? 0 : 1;
if (failures.length > 0) console.log(describeFailures(failures));
console.log(describeSums(sums));

async function check(name: string, [file = '', ...args]: string[]): Promise<Sums> {
  const { exitCode, stdout, stderr, seconds } = await runCommand(join(BIN, file), args, { cwd: ROOT });
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
  if (exitCode !== 0) failures.push({ name, message: stdout + stderr });
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}
