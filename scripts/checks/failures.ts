/** For each failure. */
const SHOWN_LINES = 25;
/** Only the end of a long output is usually kept, so failures are repeated there, but not all of a broken checkout. */
const SHOWN_FAILURES = 20;

export interface Failure {
  name: string;
  /** Any number of lines. */
  message: string;
}

interface JestReport {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** The failures in jest's `--json` report, which may be empty. A file that failed without a failed test is one. */
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
