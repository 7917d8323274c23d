import type { NumberColumn, SearchIndexData } from './index-data.ts';
import { positionsOf } from './text-table.ts';

/** Less than any number: unknown values come last and are not after any time. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

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
  return rowsOf(values.length).sort((a, b) => values[b]! - values[a]! || others[b]! - others[a]! || a - b);
}
