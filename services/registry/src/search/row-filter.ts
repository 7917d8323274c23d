import type { SearchIndexData } from '../index/index-data.ts';
import { indexOfText } from '../index/text-table.ts';
import { keyOf } from '../index/words/fold.ts';
import { SKILL_KINDS } from '../skills/skill.ts';
import { hasLabel, LABEL_FIELDS, type LabelField } from './labels.ts';
import type { SearchQuery } from './search-query.ts';

/** A label that rows must have. */
export interface WantedLabel {
  field: LabelField;
  label: number;
  /** Number of rows that have it. */
  count: number;
}

/** The filters of a query. */
export class RowFilter {
  readonly isEmpty: boolean;
  /** Whether a requested value occurs in no skill. */
  readonly isImpossible: boolean;
  /** Undefined if no label is requested. */
  readonly rarest: WantedLabel | undefined;
  readonly #data: SearchIndexData;
  readonly #labels: WantedLabel[] = [];
  readonly #kinds: number[] | undefined;
  readonly #valid: number | undefined;
  readonly #since: number | undefined;

  constructor(data: SearchIndexData, query: SearchQuery) {
    this.#data = data;
    const { category: categories, tag: tags, author: authors, repo: repos, license: licenses } = query;
    const requested = { categories, tags, authors, repos, licenses };
    for (const field of LABEL_FIELDS) {
      const value = requested[field];
      if (!value) continue;
      const label = indexOfText(data[field].keys, keyOf(value));
      this.#labels.push({ field, label, count: data[field].counts[label] ?? 0 });
    }
    this.#labels.sort((a, b) => a.count - b.count);
    this.rarest = this.#labels[0];
    this.isImpossible = this.rarest?.count === 0;
    this.#kinds = query.kinds?.map((kind) => SKILL_KINDS.indexOf(kind));
    this.#valid = query.valid === undefined ? undefined : Number(query.valid);
    this.#since = query.updatedSince;
    this.isEmpty =
      this.rarest === undefined &&
      this.#kinds === undefined &&
      data.listed === data.count &&
      this.#valid === undefined &&
      this.#since === undefined;
  }

  accepts(row: number): boolean {
    const data = this.#data;
    if (this.#kinds === undefined ? row >= data.listed : !this.#kinds.includes(data.kinds[row] as number)) return false;
    for (const { field, label } of this.#labels) if (!hasLabel(data[field], row, label)) return false;
    if (this.#valid !== undefined && data.valid[row] !== this.#valid) return false;
    return this.#since === undefined || (data.updated.values[row] as number) >= this.#since;
  }
}
