/** Counts and prints what was checked; a failed check does not end the run. */
export class Scorecard {
  passed = 0;
  failed = 0;

  /** Runs one check: it passes unless it throws; a text that it returns is what it saw. */
  async check(name: string, look: () => Promise<unknown>): Promise<boolean> {
    const began = Date.now();
    try {
      const seen = await look();
      this.passed++;
      console.log(`✓ ${name}${typeof seen === 'string' ? `: ${seen}` : ''} (${seconds(began)} s)`);
      return true;
    } catch (error) {
      this.failed++;
      console.log(`✗ ${name} (${seconds(began)} s)\n${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }

  /** Adds the counts of a test run. */
  add(counts: { passed: number; failed: number }): void {
    this.passed += counts.passed;
    this.failed += counts.failed;
  }
}

function seconds(began: number): string {
  return ((Date.now() - began) / 1_000).toFixed(1);
}
