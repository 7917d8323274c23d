/** For each failure. */
const SHOWN_LINES = 25;
/** Only the end of a long output is usually kept, so failures are repeated there, but not all of a broken checkout. */
const SHOWN_FAILURES = 20;

export interface Failure {
  name: string;
  /** Any number of lines. */
  message: string;
}

/** What a run of tests or checks gave. */
export interface Outcome {
  passed: number;
  failures: Failure[];
}

/** The end of a run's output: a section of failures, which `.ci/run` repeats at its end, and a line with the counts. */
export function describeOutcome({ passed, failures }: Outcome): string {
  const more = failures.length - SHOWN_FAILURES;
  return [
    ...(failures.length > 0 ? ['== failures'] : []),
    ...failures.slice(0, SHOWN_FAILURES).map(describeFailure),
    ...(more > 0 ? [`… and ${more} more`] : []),
    `${passed} passed, ${failures.length} failed`,
  ].join('\n');
}

export function describeFailure({ name, message }: Failure): string {
  const lines = message.split('\n').slice(0, SHOWN_LINES);
  return [`✗ ${name}`, ...lines.map((line) => `    ${line}`)].join('\n');
}
