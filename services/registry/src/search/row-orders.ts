import { type NumberColumn, type SearchIndexData, UNKNOWN } from '../index/index-data.ts';
import { rowsOf } from '../index/number-writer.ts';

type Field = 'name' | 'stars' | 'downloads' | 'updated' | 'trending';

/** All rows ordered by one field. Orders that the index lacks are computed on first use. */
export class RowOrders {
  readonly #data: SearchIndexData;
  readonly #trending: Uint32Array;
  readonly #made = new Map<string, Uint32Array>();

  constructor(data: SearchIndexData, trending: Uint32Array) {
    this.#data = data;
    this.#trending = trending;
  }

  /** Unknown values come last in both directions; equal ones are by row. */
  of(field: Field, isAscending: boolean): Uint32Array {
    if (field !== 'name' && field !== 'trending' && !isAscending) return this.#data[field].descending;
    const key = `${field} ${isAscending}`;
    const made = this.#made.get(key) ?? this.#make(field, isAscending);
    this.#made.set(key, made);
    return made;
  }

  #make(field: Field, isAscending: boolean): Uint32Array {
    if (field === 'trending') return isAscending ? this.#byTrend().reverse() : this.#byTrend();
    if (field !== 'name') return toAscending(this.#data[field]);
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
