import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jestSums, type Sums } from '../../checks/sums.ts';
import { runCommand } from './command.ts';

const TIMEOUT_MS = 600_000;
/** Of each failure. */
const SHOWN_LINES = 25;
/** One file after the other: they count the agents of the same system. */
const JEST = [
  '--experimental-vm-modules',
  'node_modules/jest/bin/jest.js',
  '--ci',
  '--runInBand',
  '--testPathPatterns',
];

export interface SuiteOptions {
  /** A pattern of the names of the files, without `.test.ts`. */
  files: string;
  /** Where jest's report goes. */
  folder: string;
  env: Record<string, string>;
  signal: AbortSignal;
}

interface JestReport {
  testResults: {
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** Runs the HTTP tests against what `env` names; prints those that fail. */
export async function runSuite({ files, folder, env, signal }: SuiteOptions): Promise<Sums> {
  const file = join(folder, `jest-${Date.now()}.json`);
  const problem = await runCommand(
    process.execPath,
    [...JEST, `/deploy/e2e/(${files})\\.test\\.ts$`, '--json', `--outputFile=${file}`],
    {
      signal,
      timeoutMs: TIMEOUT_MS,
      env: { ...process.env, ...env },
    },
  ).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const report = await readFile(file, 'utf8').catch(() => '');
  if (problem !== undefined) console.log(report === '' ? problem : describeFailures(JSON.parse(report)));
  return jestSums(report, problem === undefined ? 0 : 1, 0);
}

function describeFailures({ testResults }: JestReport): string {
  return testResults
    .flatMap(({ message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      // A file that could not be run has no tests, only a message.
      if (assertionResults.length === 0) return [message];
      return failed.map(({ fullName, failureMessages }) => `✗ ${fullName}\n${shorten(failureMessages.join('\n'))}`);
    })
    .join('\n');
}

function shorten(text: string): string {
  return text
    .split('\n')
    .slice(0, SHOWN_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}
