import type { LabelColumn, LabelListColumn, LabelTable, SearchIndexData } from './index-data.ts';
import { selectPage } from './quickselect.ts';
import type { FacetName, FacetValue } from './search-query.ts';
import { textAt } from './text-table.ts';

/** Of each facet the values that most matches have. */
const MAX_VALUES = 100;
/** More than there are labels, so that a count and a label go into one number. */
const LABEL_SPAN = 2 ** 24;

/** Counts values over matches. Its arrays are used again by each query. */
export class FacetCounter {
  readonly #data: SearchIndexData;
  readonly #counts: Uint32Array;
  /** The labels counted at all. */
  readonly #met: Uint32Array;
  readonly #keys: Float64Array;

  constructor(data: SearchIndexData) {
    this.#data = data;
    const most = Math.max(
      ...[data.categories, data.tags, data.authors, data.licenses].map(({ counts }) => counts.length),
    );
    // One more, for skills without a value.
    this.#counts = new Uint32Array(most + 1);
    this.#met = new Uint32Array(most + 1);
    this.#keys = new Float64Array(most + 1);
  }

  /** The most frequent values among the first `size` of `rows`, by count, then by their keys. */
  count(facet: FacetName, rows: Uint32Array, size: number): FacetValue[] {
    const { categories, tags, authors, licenses } = this.#data;
    switch (facet) {
      case 'category':
        return this.#top(categories, this.#countColumn(categories, rows, size));
      case 'author':
        return this.#top(authors, this.#countColumn(authors, rows, size));
      case 'license':
        return this.#top(licenses, this.#countColumn(licenses, rows, size));
      case 'tag':
        return this.#top(tags, this.#countList(tags, rows, size));
      case 'valid':
        return this.#countValid(rows, size);
    }
  }

  #countColumn({ values }: LabelColumn, rows: Uint32Array, size: number): number {
    const counts = this.#counts;
    let met = 0;
    for (let at = 0; at < size; at++) {
      const label = values[rows[at] as number] as number;
      const count = counts[label] as number;
      if (count === 0) this.#met[met++] = label;
      counts[label] = count + 1;
    }
    return met;
  }

  #countList({ offsets, values }: LabelListColumn, rows: Uint32Array, size: number): number {
    const counts = this.#counts;
    let met = 0;
    for (let at = 0; at < size; at++) {
      const row = rows[at] as number;
      const to = offsets[row + 1] as number;
      for (let entry = offsets[row] as number; entry < to; entry++) {
        const label = values[entry] as number;
        const count = counts[label] as number;
        if (count === 0) this.#met[met++] = label;
        counts[label] = count + 1;
      }
    }
    return met;
  }

  /** Leaves the counts at 0 for the next facet. */
  #top({ spellings, counts: all }: LabelTable, met: number): FacetValue[] {
    let size = 0;
    for (let at = 0; at < met; at++) {
      const label = this.#met[at] as number;
      if (label < all.length) this.#keys[size++] = (LABEL_SPAN - (this.#counts[label] as number)) * LABEL_SPAN + label;
      this.#counts[label] = 0;
    }
    return Array.from(selectPage(this.#keys, size, 0, MAX_VALUES), (key) => ({
      value: textAt(spellings, key % LABEL_SPAN),
      count: LABEL_SPAN - Math.floor(key / LABEL_SPAN),
    }));
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
