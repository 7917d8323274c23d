import type { NumberColumn, SearchIndexData } from '../index/index-data.ts';
import { rowsOf, UNKNOWN } from '../index/numbers.ts';
import { positionsOf } from '../index/text-table.ts';

type Field = 'name' | 'stars' | 'downloads' | 'updated' | 'trending';

/** All rows in an order, and the place of each row in it. */
export interface RowOrder {
  rows: Uint32Array;
  ranks: Uint32Array;
}

/** All rows ordered by one field, computed on first use. */
export class RowOrders {
  readonly #data: SearchIndexData;
  readonly #trending: Uint32Array;
  readonly #made = new Map<string, RowOrder>();

  constructor(data: SearchIndexData, trending: Uint32Array) {
    this.#data = data;
    this.#trending = trending;
  }

  /** Unknown values come last in both directions; equal ones are by row. */
  of(field: Field, isAscending: boolean): RowOrder {
    const key = `${field} ${isAscending}`;
    const made = this.#made.get(key) ?? withRanks(this.#rowsBy(field, isAscending));
    this.#made.set(key, made);
    return made;
  }

  #rowsBy(field: Field, isAscending: boolean): Uint32Array {
    if (field === 'trending') return isAscending ? this.#byTrend().reverse() : this.#byTrend();
    if (field !== 'name') return isAscending ? toAscending(this.#data[field]) : this.#data[field].descending;
    const rows = rowsOf(this.#data.count);
    return isAscending ? rows : rows.reverse();
  }

  /** The trending rows, then the others by popularity. */
  #byTrend(): Uint32Array {
    const trending = new Set(this.#trending);
    const order = this.#data.popularity.rows.slice();
    order.set(this.#trending);
    order.set(
      this.#data.popularity.rows.filter((row) => !trending.has(row)),
      trending.size,
    );
    return order;
  }
}

function withRanks(rows: Uint32Array): RowOrder {
  return { rows, ranks: positionsOf(rows, rows.length) };
}

function toAscending({ values, descending }: NumberColumn): Uint32Array {
  const valueAt = (at: number) => values[descending[at]!]!;
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
