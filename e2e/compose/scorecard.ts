import { describeFailure, type Failure, type Outcome } from '@agent-fleet/scripts/testing/outcome';

/** Counts and prints the checks; a failed check does not end the run. */
export class Scorecard implements Outcome {
  passed = 0;
  readonly failures: Failure[] = [];

  /** Runs a check, which fails if it throws. A returned text is printed with the result. */
  async check(name: string, look: () => Promise<unknown>): Promise<boolean> {
    const began = Date.now();
    try {
      const seen = await look();
      this.passed++;
      console.log(`✓ ${name}${typeof seen === 'string' ? `: ${seen}` : ''} (${seconds(began)} s)`);
      return true;
    } catch (error) {
      this.fail(`${name} (${seconds(began)} s)`, error);
      return false;
    }
  }

  /** Counts and prints a failure outside of the checks. */
  fail(name: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.add({ passed: 0, failures: [{ name, message }] });
  }

  /** Adds the outcome of a test run, and prints its failures. */
  add({ passed, failures }: Outcome): void {
    this.passed += passed;
    this.failures.push(...failures);
    for (const failure of failures) console.log(describeFailure(failure));
  }
}

function seconds(began: number): string {
  return ((Date.now() - began) / 1_000).toFixed(1);
}
