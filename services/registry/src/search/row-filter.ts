import type { LabelListColumn, LabelTable, SearchIndexData } from '../index/index-data.ts';
import { indexOfText } from '../index/text-table.ts';
import { keyOf } from '../index/words/fold.ts';
import { SKILL_KINDS } from '../skills/skill.ts';
import type { SearchQuery } from './search-query.ts';

/** The filters of a query. */
export class RowFilter {
  readonly isEmpty: boolean;
  /** Whether a requested value occurs in no skill. */
  readonly isImpossible: boolean;
  readonly #data: SearchIndexData;
  readonly #columns: { values: Uint32Array; wanted: number }[] = [];
  readonly #lists: { column: LabelListColumn; wanted: number }[] = [];
  readonly #kinds: number[] | undefined;
  readonly #valid: number | undefined;
  readonly #since: number | undefined;

  constructor(data: SearchIndexData, query: SearchQuery) {
    this.#data = data;
    const columns = [
      { column: data.authors, requested: query.author },
      { column: data.repos, requested: query.repo },
      { column: data.licenses, requested: query.license },
    ];
    for (const { column, requested } of columns) {
      const wanted = numberOf(column, requested);
      if (wanted !== undefined) this.#columns.push({ values: column.values, wanted });
    }
    for (const [column, requested] of [
      [data.categories, query.category],
      [data.tags, query.tag],
    ] as const) {
      const wanted = numberOf(column, requested);
      if (wanted !== undefined) this.#lists.push({ column, wanted });
    }
    this.#kinds = query.kinds?.map((kind) => SKILL_KINDS.indexOf(kind));
    this.#valid = query.valid === undefined ? undefined : Number(query.valid);
    this.#since = query.updatedSince;
    this.isImpossible = [...this.#lists, ...this.#columns].some(({ wanted }) => wanted === -1);
    this.isEmpty =
      this.#columns.length === 0 &&
      this.#lists.length === 0 &&
      this.#kinds === undefined &&
      data.listed === data.count &&
      this.#valid === undefined &&
      this.#since === undefined;
  }

  accepts(row: number): boolean {
    if (this.#kinds === undefined ? row >= this.#data.listed : !this.#kinds.includes(this.#data.kinds[row] as number))
      return false;
    for (const { values, wanted } of this.#columns) if (values[row] !== wanted) return false;
    if (this.#valid !== undefined && this.#data.valid[row] !== this.#valid) return false;
    if (this.#since !== undefined && !((this.#data.updated.values[row] as number) >= this.#since)) return false;
    return this.#lists.every(({ column, wanted }) => hasLabel(column, row, wanted));
  }
}

function hasLabel({ offsets, values }: LabelListColumn, row: number, label: number): boolean {
  const to = offsets[row + 1] as number;
  for (let at = offsets[row] as number; at < to; at++) if (values[at] === label) return true;
  return false;
}

/** The number of a label; -1 if no skill has it, undefined if none is requested. */
function numberOf({ keys }: LabelTable, requested: string | undefined): number | undefined {
  return requested ? indexOfText(keys, keyOf(requested)) : undefined;
}
