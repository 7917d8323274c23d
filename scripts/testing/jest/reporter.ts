import { writeFileSync } from 'node:fs';
import type { AggregatedResult } from '@jest/test-result';
import type { Config } from '@jest/types';
import { describeOutcome, type Outcome } from '../outcome.ts';

/** Ends the output of a run with its time, its failures and the counts, also in the file of `OUTCOME_FILE`. */
export default class Reporter {
  readonly #seed: number | undefined;
  readonly #minutes: number;

  /** `minutes`: what the whole run may take on a quiet machine of two cores. */
  constructor({ seed }: Config.GlobalConfig, { minutes }: { minutes: number }) {
    this.#seed = seed;
    this.#minutes = minutes;
  }

  onRunStart(): void {
    console.log(`Order of the files: --seed=${this.#seed}`);
  }

  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const outcome = toOutcome(results);
    const { OUTCOME_FILE } = process.env;
    if (OUTCOME_FILE) writeFileSync(OUTCOME_FILE, JSON.stringify(outcome));
    const seconds = (Date.now() - results.startTime) / 1_000;
    console.log(`${seconds.toFixed(0)} s, of at most ${this.#minutes * 60} s for the whole run`);
    console.log(describeOutcome(outcome));
  }
}

/** A file that failed outside of its tests is a failure of its own. */
function toOutcome({ numPassedTests: passed, testResults, runExecError }: AggregatedResult): Outcome {
  const failures = testResults.flatMap(({ testFilePath, testResults: tests, testExecError, failureMessage }) => {
    const failed = tests.filter(({ status }) => status === 'failed');
    return [
      ...failed.map(({ fullName, failureMessages }) => ({ name: fullName, message: failureMessages.join('\n') })),
      ...(testExecError ? [{ name: testFilePath, message: failureMessage ?? '' }] : []),
    ];
  });
  return {
    passed,
    failures: [...failures, ...(runExecError ? [{ name: 'jest', message: runExecError.message }] : [])],
  };
}
