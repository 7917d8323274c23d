import type { LabelColumn, LabelListColumn, LabelTable, SearchIndexData } from '../index/index-data.ts';
import { textAt } from '../index/text-table.ts';
import { SKILL_KINDS } from '../skills/skill.ts';
import { selectPage } from './quickselect.ts';
import type { FacetName, FacetValue } from './search-query.ts';

const MAX_VALUES = 100;
/** More than there are labels, so that one number holds a count and a label. */
const LABEL_SPAN = 2 ** 24;

/** Counts the values of facets over matches. Its arrays are reused by each query. */
export class FacetCounter {
  readonly #data: SearchIndexData;
  readonly #counts: Uint32Array;
  /** The labels with a count above 0: the first `#metCount` entries. */
  readonly #met: Uint32Array;
  #metCount = 0;
  readonly #keys: Float64Array;

  constructor(data: SearchIndexData) {
    this.#data = data;
    const most = Math.max(
      ...[data.categories, data.tags, data.authors, data.licenses].map(({ counts }) => counts.length),
    );
    // One more for skills without a value.
    this.#counts = new Uint32Array(most + 1);
    this.#met = new Uint32Array(most + 1);
    this.#keys = new Float64Array(most + 1);
  }

  /** The most frequent values among the first `size` of `rows`, by count, then key. */
  count(facet: FacetName, rows: Uint32Array, size: number): FacetValue[] {
    const { categories, tags, authors, licenses } = this.#data;
    switch (facet) {
      case 'category':
        return this.#countList(categories, rows, size);
      case 'kind':
        return this.#countKinds(rows, size);
      case 'author':
        return this.#countColumn(authors, rows, size);
      case 'license':
        return this.#countColumn(licenses, rows, size);
      case 'tag':
        return this.#countList(tags, rows, size);
      case 'valid':
        return this.#countValid(rows, size);
    }
  }

  #countColumn(column: LabelColumn, rows: Uint32Array, size: number): FacetValue[] {
    for (let at = 0; at < size; at++) this.#note(column.values[rows[at] as number] as number);
    return this.#takeTop(column);
  }

  #countList(column: LabelListColumn, rows: Uint32Array, size: number): FacetValue[] {
    const { offsets, values } = column;
    for (let at = 0; at < size; at++) {
      const row = rows[at] as number;
      const to = offsets[row + 1] as number;
      for (let entry = offsets[row] as number; entry < to; entry++) this.#note(values[entry] as number);
    }
    return this.#takeTop(column);
  }

  #note(label: number): void {
    const count = this.#counts[label] as number;
    if (count === 0) this.#met[this.#metCount++] = label;
    this.#counts[label] = count + 1;
  }

  /** Resets the counts for the next facet. */
  #takeTop({ spellings, counts: all }: LabelTable): FacetValue[] {
    let size = 0;
    for (let at = 0; at < this.#metCount; at++) {
      const label = this.#met[at] as number;
      if (label < all.length) this.#keys[size++] = (LABEL_SPAN - (this.#counts[label] as number)) * LABEL_SPAN + label;
      this.#counts[label] = 0;
    }
    this.#metCount = 0;
    return Array.from(selectPage(this.#keys, size, 0, MAX_VALUES), (key) => ({
      value: textAt(spellings, key % LABEL_SPAN),
      count: LABEL_SPAN - Math.floor(key / LABEL_SPAN),
    }));
  }

  #countKinds(rows: Uint32Array, size: number): FacetValue[] {
    const counts = SKILL_KINDS.map((value) => ({ value: value as string, count: 0 }));
    for (let at = 0; at < size; at++) (counts[this.#data.kinds[rows[at] as number] as number] as FacetValue).count++;
    return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  }

  #countValid(rows: Uint32Array, size: number): FacetValue[] {
    let valid = 0;
    for (let at = 0; at < size; at++) valid += this.#data.valid[rows[at] as number] as number;
    return [
      { value: 'false', count: size - valid },
      { value: 'true', count: valid },
    ]
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count);
  }
}
