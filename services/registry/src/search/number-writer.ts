import { type NumberColumn, type SearchIndexData, UNKNOWN } from './index-data.ts';
import { mergeSort } from './merge-sort.ts';

/** Collects one number a document. */
export class NumberWriter {
  readonly #values: number[] = [];

  add(value: number | null): void {
    this.#values.push(value === null || Number.isNaN(value) ? UNKNOWN : value);
  }

  finish(documents: Uint32Array): NumberColumn {
    const values = new Float64Array(documents.length);
    for (let row = 0; row < values.length; row++) values[row] = this.#values[documents[row] as number] as number;
    const descending = rowsOf(values.length);
    mergeSort(descending, (a, b) => (values[a] as number) < (values[b] as number));
    return { values, descending };
  }
}

/** All rows by stars, then downloads, then row. */
export function toPopularity(stars: NumberColumn, downloads: NumberColumn): SearchIndexData['popularity'] {
  const rows = stars.descending.slice();
  mergeSort(rows, (a, b) => {
    const difference = order(stars, a, b);
    return difference !== 0 ? difference > 0 : order(downloads, a, b) > 0;
  });
  const ranks = new Uint32Array(rows.length);
  rows.forEach((row, rank) => {
    ranks[row] = rank;
  });
  return { rows, ranks };
}

/** Above 0 when row `a` has less than row `b`; unknown ones are equal. */
function order({ values }: NumberColumn, a: number, b: number): number {
  const left = values[a] as number;
  const right = values[b] as number;
  return left === right ? 0 : left < right ? 1 : -1;
}

export function rowsOf(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}
