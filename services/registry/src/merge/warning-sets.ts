import type { Report, WarningCode } from '../skills/report.ts';

/** Numbers the distinct lists of warnings about a record: few lists occur. */
export class WarningSets {
  readonly lists: WarningCode[][] = [];
  readonly #numbers = new Map<string, number>();

  constructor(lists: readonly WarningCode[][] = []) {
    for (const list of lists) this.numberOf(list);
  }

  numberOf(list: readonly WarningCode[]): number {
    const key = list.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.lists.length);
    return this.lists.push([...list]) - 1;
  }

  /** Adds the warnings of all records to a report. `numbers` has the list of each record. */
  count(numbers: Uint32Array, records: number, report: Report): void {
    const counts = new Uint32Array(this.lists.length);
    for (let record = 0; record < records; record++) {
      const number = numbers[record] as number;
      counts[number] = (counts[number] as number) + 1;
    }
    for (const [number, list] of this.lists.entries()) for (const code of list) report.warn(code, counts[number]);
  }
}
