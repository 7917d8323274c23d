import type { LabelTable, SearchIndexData } from '../index/index-data.ts';
import { tableOfTexts, textAt } from '../index/text-table.ts';
import { SKILL_KINDS } from '../skills/skill.ts';
import { selectPage } from './quickselect.ts';
import { FACET_NAMES, type FacetName } from './search-query.ts';

const MAX_VALUES = 100;
/** With fewer matches per value than one in this many, only the values that are met are visited. */
const FEW = 32;
/** More than there are labels, so that one number holds a count and a label. */
const LABEL_SPAN = 2 ** 24;

/** A facet's values have the numbers from `first` up to `end`. */
interface Facet {
  first: number;
  end: number;
  spellings: LabelTable['spellings'];
}

/**
 * Counts the values of facets over matches. The values of all facets are numbered in one sequence, and those of a row
 * lie side by side, so that a row costs few reads of memory.
 */
export class FacetCounter {
  readonly #facets: Record<FacetName, Facet>;
  /** The values of row `r` are `#values` from `#offsets[r]` up to `#offsets[r + 1]`. */
  readonly #offsets: Uint32Array;
  readonly #values: Uint16Array | Uint32Array;
  readonly #counts: Uint32Array;
  /** The values with a count above 0. */
  readonly #met: Uint32Array;
  readonly #keys: Float64Array;
  /** By value: the JSON up to its count. */
  readonly #json: string[] = [];

  constructor(data: SearchIndexData) {
    this.#facets = toFacets(data);
    const size = this.#facets.valid.end;
    ({ offsets: this.#offsets, values: this.#values } = collectValues(data, this.#facets));
    this.#counts = new Uint32Array(size);
    this.#met = new Uint32Array(size);
    this.#keys = new Float64Array(size);
  }

  /** The JSON of the most frequent values of facets among the first `size` of `rows`, by count, then key. */
  toJson(names: readonly FacetName[], rows: Uint32Array, size: number): string {
    const met = size * FEW < this.#counts.length ? this.#countFew(rows, size) : this.#countMany(rows, size);
    const facets = names.map((name) => `"${name}":[${this.#top(this.#facets[name], met)}]`);
    for (let at = 0; at < met; at++) this.#counts[this.#met[at]!] = 0;
    return `{${facets.join(',')}}`;
  }

  /** Returns the number of values with a count, and notes each at its first match. */
  #countFew(rows: Uint32Array, size: number): number {
    const [offsets, values, counts, met] = [this.#offsets, this.#values, this.#counts, this.#met];
    let end = 0;
    for (let at = 0; at < size; at++) {
      const to = offsets[rows[at]! + 1]!;
      for (let entry = offsets[rows[at]!]!; entry < to; entry++) {
        const value = values[entry]!;
        const count = counts[value]!;
        if (count === 0) met[end++] = value;
        counts[value] = count + 1;
      }
    }
    return end;
  }

  /** The same, but looks at all values in the end, which costs less than a mispredicted branch for each of many. */
  #countMany(rows: Uint32Array, size: number): number {
    const [offsets, values, counts, met] = [this.#offsets, this.#values, this.#counts, this.#met];
    for (let at = 0; at < size; at++) {
      const to = offsets[rows[at]! + 1]!;
      for (let entry = offsets[rows[at]!]!; entry < to; entry++) {
        const value = values[entry]!;
        counts[value]!++;
      }
    }
    let end = 0;
    for (let value = 0; value < counts.length; value++) if (counts[value] !== 0) met[end++] = value;
    return end;
  }

  #top(facet: Facet, met: number): string {
    const { first, end } = facet;
    const keys = this.#keys;
    let size = 0;
    for (let at = 0; at < met; at++) {
      const value = this.#met[at]!;
      if (value >= first && value < end) keys[size++] = (LABEL_SPAN - this.#counts[value]!) * LABEL_SPAN + value;
    }
    let json = '';
    for (const key of selectPage(keys, size, 0, MAX_VALUES)) {
      const value = key % LABEL_SPAN;
      json += `${json === '' ? '' : ','}${this.#jsonOf(facet, value)}${LABEL_SPAN - Math.floor(key / LABEL_SPAN)}}`;
    }
    return json;
  }

  #jsonOf({ first, spellings }: Facet, value: number): string {
    this.#json[value] ??= `{"value":${JSON.stringify(textAt(spellings, value - first))},"count":`;
    return this.#json[value];
  }
}

function toFacets({ categories, tags, authors, licenses }: SearchIndexData): Record<FacetName, Facet> {
  const spellings: Record<FacetName, LabelTable['spellings']> = {
    category: categories.spellings,
    kind: tableOfTexts(SKILL_KINDS),
    tag: tags.spellings,
    author: authors.spellings,
    license: licenses.spellings,
    valid: tableOfTexts(['false', 'true']),
  };
  let end = 0;
  return Object.fromEntries(
    FACET_NAMES.map((name) => {
      const first = end;
      end += spellings[name].offsets.length - 1;
      return [name, { first, end, spellings: spellings[name] }];
    }),
  ) as Record<FacetName, Facet>;
}

function collectValues(data: SearchIndexData, facets: Record<FacetName, Facet>) {
  const { count, kinds, valid } = data;
  const columns = [
    { ...data.categories, first: facets.category.first },
    { ...data.tags, first: facets.tag.first },
    { ...data.authors, first: facets.author.first },
    { ...data.licenses, first: facets.license.first },
  ];
  const offsets = new Uint32Array(count + 1);
  const length = columns.reduce((sum, column) => sum + column.values.length, count * 2);
  const values = facets.valid.end <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
  let end = 0;
  for (let row = 0; row < count; row++) {
    values[end++] = facets.kind.first + kinds[row]!;
    values[end++] = facets.valid.first + valid[row]!;
    for (const { first, offsets: starts, values: labels } of columns) {
      const to = starts[row + 1]!;
      for (let at = starts[row]!; at < to; at++) values[end++] = first + labels[at]!;
    }
    offsets[row + 1] = end;
  }
  return { offsets, values };
}
