import { LABEL_FIELDS, type LabelField, type SearchIndexData } from '../index/index-data.ts';
import { indexOfText } from '../index/text-table.ts';
import { keyOf } from '../index/words/fold.ts';
import { SKILL_KINDS } from '../skills/skill.ts';
import { hasLabel } from './label-rows.ts';
import type { SearchQuery } from './search-query.ts';

/** A label that rows must have. */
interface WantedLabel {
  field: LabelField;
  label: number;
  /** Number of rows that have it. */
  count: number;
}

/** The filters of a query. */
export class RowFilter {
  /** The label that the fewest rows have; undefined if no label is requested. */
  readonly rarest: WantedLabel | undefined;
  /** Whether no row passes. */
  readonly isImpossible: boolean;
  /** Whether every row with the rarest label passes. */
  readonly isRarestEnough: boolean;
  /** Whether rows of every kind pass. */
  readonly hasAllKinds: boolean;
  readonly #data: SearchIndexData;
  readonly #others: WantedLabel[];
  readonly #kinds: number[] | undefined;
  readonly #valid: number | undefined;
  readonly #since: number | undefined;

  constructor(data: SearchIndexData, query: SearchQuery) {
    this.#data = data;
    const { category: categories, tag: tags, author: authors, repo: repos, license: licenses } = query;
    const requested = { categories, tags, authors, repos, licenses };
    const labels = LABEL_FIELDS.flatMap((field) => toWanted(data, field, requested[field]));
    [this.rarest, ...this.#others] = labels.sort((a, b) => a.count - b.count);
    this.#kinds = query.kinds?.map((kind) => SKILL_KINDS.indexOf(kind));
    this.#valid = query.valid === undefined ? undefined : Number(query.valid);
    this.#since = query.updatedSince;
    this.isImpossible = this.rarest?.count === 0;
    this.hasAllKinds = this.#kinds === undefined && data.listed === data.count;
    this.isRarestEnough =
      this.#others.length === 0 && this.hasAllKinds && this.#valid === undefined && this.#since === undefined;
  }

  get isEmpty(): boolean {
    return this.rarest === undefined && this.isRarestEnough;
  }

  accepts(row: number): boolean {
    return (this.rarest === undefined || this.#has(row, this.rarest)) && this.acceptsRarest(row);
  }

  isOfKind(row: number): boolean {
    const { listed, kinds } = this.#data;
    return this.#kinds === undefined ? row < listed : this.#kinds.includes(kinds[row]!);
  }

  /** The same as `accepts` for a row that has the rarest label. */
  acceptsRarest(row: number): boolean {
    const data = this.#data;
    if (!this.isOfKind(row)) return false;
    for (const wanted of this.#others) if (!this.#has(row, wanted)) return false;
    if (this.#valid !== undefined && data.valid[row] !== this.#valid) return false;
    return this.#since === undefined || data.updated.values[row]! >= this.#since;
  }

  #has(row: number, { field, label }: WantedLabel): boolean {
    return hasLabel(this.#data[field], row, label);
  }
}

/** Empty if no label is requested. A label that no skill has counts 0 rows. */
function toWanted(data: SearchIndexData, field: LabelField, requested: string | undefined): WantedLabel[] {
  if (!requested) return [];
  const label = indexOfText(data[field].keys, keyOf(requested));
  return [{ field, label, count: data[field].counts[label] ?? 0 }];
}
