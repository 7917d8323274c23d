import type { Report, WarningCounts } from '../skills/report.ts';

/** Numbers the distinct sets of warnings about a record: few sets occur. */
export class WarningSets {
  readonly sets: WarningCounts[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(set: WarningCounts): number {
    const key = set.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.sets.length);
    return this.sets.push(set) - 1;
  }

  /** Adds the warnings of all records to a report. `numbers` has the set of each record. */
  count(numbers: Uint32Array, records: number, report: Report): void {
    for (let record = 0; record < records; record++) {
      for (const [code, count] of this.sets[numbers[record]!] as WarningCounts) report.warn(code, count);
    }
  }
}
