export interface Sums {
  passed: number;
  failed: number;
}

/** Sums of jest's `--json` report; an exit code that neither it nor a rejection explains is one more failure. */
export function jestSums(report: string, exitCode: number | null, rejections: number): Sums {
  const { passed, failed } = parse(report);
  const explained = failed + rejections;
  return { passed, failed: exitCode === 0 ? explained : Math.max(explained, 1) };
}

export function addSums(all: readonly Sums[]): Sums {
  const add = (name: keyof Sums) => all.reduce((sum, one) => sum + one[name], 0);
  return { passed: add('passed'), failed: add('failed') };
}

/** The last line of a test run, which `.ci/run` reads. */
export function describeSums({ passed, failed }: Sums): string {
  return `${passed} passed, ${failed} failed`;
}

function parse(report: string): Sums {
  // Empty if jest itself crashed.
  if (report === '') return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(report) as Record<string, number>;
  return { passed: numPassedTests ?? 0, failed: (numFailedTests ?? 0) + (numRuntimeErrorTestSuites ?? 0) };
}
