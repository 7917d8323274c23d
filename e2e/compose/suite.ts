import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, jestFailures } from '@agent-fleet/scripts/checks/failures';
import { jestSums, type Sums } from '@agent-fleet/scripts/checks/sums';
import { readCommand } from '@agent-fleet/scripts/local/command';

const TIMEOUT_MS = 600_000;
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

/** Runs the HTTP tests against what `env` names. */
export async function runSuite({
  files,
  folder,
  env,
  signal,
}: SuiteOptions): Promise<{ sums: Sums; failures: Failure[] }> {
  const file = join(folder, `jest-${Date.now()}.json`);
  const problem = await readCommand(
    process.execPath,
    [...JEST, `/e2e/(${files})\\.test\\.ts$`, '--json', `--outputFile=${file}`],
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
  const failures = jestFailures(report);
  // Failed as a whole: not one of its tests says why.
  if (problem !== undefined && failures.length === 0)
    failures.push({ name: `end-to-end tests ${files}`, message: problem });
  return { sums: jestSums(report, problem === undefined ? 0 : 1, 0), failures };
}
