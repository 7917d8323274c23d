import type { LabelTable, SearchIndexData } from '../index/index-data.ts';
import { indexOfText } from '../index/text-table.ts';
import { keyOf } from '../index/words/fold.ts';
import type { SearchQuery } from './search-query.ts';

/** The filters of a query. */
export class RowFilter {
  readonly isEmpty: boolean;
  /** Whether a requested value occurs in no skill. */
  readonly isImpossible: boolean;
  readonly #data: SearchIndexData;
  readonly #columns: { values: Uint32Array; wanted: number }[] = [];
  readonly #tag: number | undefined;
  readonly #valid: number | undefined;
  readonly #since: number | undefined;

  constructor(data: SearchIndexData, query: SearchQuery) {
    this.#data = data;
    const columns = [
      { column: data.categories, requested: query.category },
      { column: data.authors, requested: query.author },
      { column: data.repos, requested: query.repo },
      { column: data.licenses, requested: query.license },
    ];
    for (const { column, requested } of columns) {
      const wanted = numberOf(column, requested);
      if (wanted !== undefined) this.#columns.push({ values: column.values, wanted });
    }
    this.#tag = numberOf(data.tags, query.tag);
    this.#valid = query.valid === undefined ? undefined : Number(query.valid);
    this.#since = query.updatedSince;
    this.isImpossible = this.#tag === -1 || this.#columns.some(({ wanted }) => wanted === -1);
    this.isEmpty =
      this.#columns.length === 0 && this.#tag === undefined && this.#valid === undefined && this.#since === undefined;
  }

  accepts(row: number): boolean {
    for (const { values, wanted } of this.#columns) if (values[row] !== wanted) return false;
    if (this.#valid !== undefined && this.#data.valid[row] !== this.#valid) return false;
    if (this.#since !== undefined && !((this.#data.updated.values[row] as number) >= this.#since)) return false;
    return this.#tag === undefined || this.#hasTag(row, this.#tag);
  }

  #hasTag(row: number, tag: number): boolean {
    const { offsets, values } = this.#data.tags;
    const to = offsets[row + 1] as number;
    for (let at = offsets[row] as number; at < to; at++) if (values[at] === tag) return true;
    return false;
  }
}

/** The number of a label; -1 if no skill has it, undefined if none is requested. */
function numberOf({ keys }: LabelTable, requested: string | undefined): number | undefined {
  return requested ? indexOfText(keys, keyOf(requested)) : undefined;
}
