import type { Report, WarningCode } from '../skills/report.ts';

/** Warnings about a record by code, in the order of their first occurrence: a record may have thousands of one code. */
export type WarningCounts = readonly (readonly [code: WarningCode, count: number])[];

/** Numbers the distinct sets of warnings about a record: few sets occur. */
export class WarningSets {
  readonly #sets: WarningCounts[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(sets: readonly WarningCounts[] = []) {
    for (const set of sets) this.#numberOf(set);
  }

  numberOf(warnings: readonly WarningCode[]): number {
    const counts = new Map<WarningCode, number>();
    for (const code of warnings) counts.set(code, (counts.get(code) ?? 0) + 1);
    return this.#numberOf([...counts]);
  }

  /** Adds the warnings of all records to a report. `numbers` has the set of each record. */
  count(numbers: Uint32Array, records: number, report: Report): void {
    const counts = new Uint32Array(this.#sets.length);
    for (let record = 0; record < records; record++) {
      const number = numbers[record] as number;
      counts[number] = (counts[number] as number) + 1;
    }
    for (const [number, set] of this.#sets.entries()) {
      for (const [code, count] of set) report.warn(code, count * (counts[number] as number));
    }
  }

  /** The sets that records have, for the next build. Numbers them anew in `numbers`. */
  trim(numbers: Uint32Array, records: number): WarningCounts[] {
    const used: WarningCounts[] = [];
    const positions = new Map<number, number>();
    for (let record = 0; record < records; record++) {
      const number = numbers[record] as number;
      const position = positions.get(number) ?? used.push(this.#sets[number] as WarningCounts) - 1;
      positions.set(number, position);
      numbers[record] = position;
    }
    return used;
  }

  #numberOf(set: WarningCounts): number {
    const key = set.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#sets.length);
    return this.#sets.push(set) - 1;
  }
}
