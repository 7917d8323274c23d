/** Of each failure. */
const SHOWN_LINES = 25;
/** The end of a long run's output is what is kept of it, so its failures are said there again, but not all of a broken checkout's. */
const SHOWN_FAILURES = 20;

export interface Failure {
  name: string;
  /** What was wrong, in any number of lines. */
  message: string;
}

interface JestReport {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** The failures of jest's `--json` report; none of an empty one. A file that failed without one of its tests is one. */
export function jestFailures(report: string): Failure[] {
  if (report === '') return [];
  return (JSON.parse(report) as JestReport).testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message !== '') return [{ name, message }];
    return failed.map(({ fullName, failureMessages }) => ({ name: fullName, message: failureMessages.join('\n') }));
  });
}

/** The last section of a run's output, which `.ci/run` repeats at its end. */
export function describeFailures(failures: readonly Failure[]): string {
  const more = failures.length - SHOWN_FAILURES;
  return [
    '== failures',
    ...failures.slice(0, SHOWN_FAILURES).map(describeFailure),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join('\n');
}

export function describeFailure({ name, message }: Failure): string {
  const lines = message.split('\n').slice(0, SHOWN_LINES);
  return [`✗ ${name}`, ...lines.map((line) => `    ${line}`)].join('\n');
}
