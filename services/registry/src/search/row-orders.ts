import { type NumberColumn, type SearchIndexData, UNKNOWN } from '../index/index-data.ts';
import { rowsOf } from '../index/number-writer.ts';

type Field = 'name' | 'stars' | 'downloads' | 'updated';

/** All rows in an order, and the place of each row in it. */
export interface RowOrder {
  rows: Uint32Array;
  ranks: Uint32Array;
}

/** All rows ordered by one field, computed on first use. */
export class RowOrders {
  readonly #data: SearchIndexData;
  readonly #made = new Map<string, RowOrder>();

  constructor(data: SearchIndexData) {
    this.#data = data;
  }

  /** Unknown values come last in both directions; equal ones are by row. */
  of(field: Field, isAscending: boolean): RowOrder {
    const key = `${field} ${isAscending}`;
    const made = this.#made.get(key) ?? withRanks(this.#rowsBy(field, isAscending));
    this.#made.set(key, made);
    return made;
  }

  #rowsBy(field: Field, isAscending: boolean): Uint32Array {
    if (field !== 'name') return isAscending ? toAscending(this.#data[field]) : this.#data[field].descending;
    const rows = rowsOf(this.#data.count);
    return isAscending ? rows : rows.reverse();
  }
}

function withRanks(rows: Uint32Array): RowOrder {
  const ranks = new Uint32Array(rows.length);
  for (let rank = 0; rank < rows.length; rank++) ranks[rows[rank] as number] = rank;
  return { rows, ranks };
}

function toAscending({ values, descending }: NumberColumn): Uint32Array {
  const valueAt = (at: number) => values[descending[at] as number] as number;
  const ascending = descending.slice();
  let end = descending.length;
  while (end > 0 && valueAt(end - 1) === UNKNOWN) end--;
  for (let offset = 0; end > 0; ) {
    let from = end - 1;
    while (from > 0 && valueAt(from - 1) === valueAt(end - 1)) from--;
    ascending.set(descending.subarray(from, end), offset);
    offset += end - from;
    end = from;
  }
  return ascending;
}
