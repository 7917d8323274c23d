import { type NumberColumn, type SearchIndexData, UNKNOWN } from '../index/index-data.ts';
import { rowsOf } from '../index/number-writer.ts';

type Field = 'name' | 'stars' | 'downloads' | 'updated';

/** All rows ordered by one field. Orders that the index lacks are computed on first use. */
export class RowOrders {
  readonly #data: SearchIndexData;
  readonly #made = new Map<string, Uint32Array>();

  constructor(data: SearchIndexData) {
    this.#data = data;
  }

  /** Unknown values come last in both directions; equal ones are by row. */
  of(field: Field, isAscending: boolean): Uint32Array {
    if (field !== 'name' && !isAscending) return this.#data[field].descending;
    const key = `${field} ${isAscending}`;
    const made = this.#made.get(key) ?? this.#make(field, isAscending);
    this.#made.set(key, made);
    return made;
  }

  #make(field: Field, isAscending: boolean): Uint32Array {
    if (field !== 'name') return toAscending(this.#data[field]);
    const rows = rowsOf(this.#data.count);
    return isAscending ? rows : rows.reverse();
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
