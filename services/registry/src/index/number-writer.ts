import { type NumberColumn, type SearchIndexData, UNKNOWN } from './index-data.ts';
import { positionsOf } from './text-table.ts';

/** Collects one number per document. */
export class NumberWriter {
  readonly #values: number[] = [];

  add(value: number | null): void {
    this.#values.push(value === null || Number.isNaN(value) ? UNKNOWN : value);
  }

  finish(documents: Uint32Array): NumberColumn {
    const values = new Float64Array(documents.length);
    for (let row = 0; row < values.length; row++) values[row] = this.#values[documents[row] as number] as number;
    return toNumberColumn(values);
  }
}

export function toNumberColumn(values: Float64Array): NumberColumn {
  return { values, descending: rowsBy(values, values) };
}

/** All rows by stars, then downloads, then row. */
export function toPopularity(stars: NumberColumn, downloads: NumberColumn): SearchIndexData['popularity'] {
  const rows = rowsBy(stars.values, downloads.values);
  return { rows, ranks: positionsOf(rows, rows.length) };
}

export function rowsOf(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

/** All rows by descending value, then by the other one, then by row. The difference of two unknown values is NaN. */
function rowsBy(values: Float64Array, others: Float64Array): Uint32Array {
  const compare = (of: Float64Array, a: number, b: number) => (of[b] as number) - (of[a] as number);
  return rowsOf(values.length).sort((a, b) => compare(values, a, b) || compare(others, a, b) || a - b);
}
