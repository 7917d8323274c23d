import { type NumberColumn, type SearchIndexData, UNKNOWN } from './index-data.ts';

/** More than there are rows. */
const RANK_SPAN = 2 ** 24;

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
  return { values, descending: rowsByRank(ranksOf(values)) };
}

/** All rows by stars, then downloads, then row. */
export function toPopularity(stars: NumberColumn, downloads: NumberColumn): SearchIndexData['popularity'] {
  const byStars = ranksOf(stars.values);
  const byDownloads = ranksOf(downloads.values);
  const keys = new Float64Array(byStars.length);
  for (let row = 0; row < keys.length; row++) {
    keys[row] = -(byStars[row] as number) * RANK_SPAN - (byDownloads[row] as number);
  }
  const rows = rowsByRank(ranksOf(keys));
  const ranks = new Uint32Array(rows.length);
  rows.forEach((row, rank) => {
    ranks[row] = rank;
  });
  return { rows, ranks };
}

export function rowsOf(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

/** By row: the number of rows with a greater value. */
function ranksOf(values: Float64Array): Uint32Array {
  const ascending = values.toSorted();
  const ranks = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) ranks[row] = countGreater(ascending, values[row] as number);
  return ranks;
}

function countGreater(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return ascending.length - low;
}

/** All rows by rank; those of equal rank by row. */
function rowsByRank(ranks: Uint32Array): Uint32Array {
  const next = rowsOf(ranks.length);
  const rows = new Uint32Array(ranks.length);
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    const at = next[rank] as number;
    rows[at] = row;
    next[rank] = at + 1;
  }
  return rows;
}
