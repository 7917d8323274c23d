import type { LabelColumn, LabelField, SearchIndexData } from '../index/index-data.ts';

interface Postings {
  /** The rows of label `n` are `rows` from `offsets[n]` up to `offsets[n + 1]`, ascending. */
  offsets: Uint32Array;
  rows: Uint32Array;
}

/** The rows of each label, computed on first use of a field. */
export class LabelRows {
  readonly #data: SearchIndexData;
  readonly #made = new Map<LabelField, Postings>();

  constructor(data: SearchIndexData) {
    this.#data = data;
  }

  of(field: LabelField, label: number): Uint32Array {
    const made = this.#made.get(field) ?? toPostings(this.#data[field]);
    this.#made.set(field, made);
    return made.rows.subarray(made.offsets[label], made.offsets[label + 1]);
  }
}

export function hasLabel(column: LabelColumn, row: number, label: number): boolean {
  const to = column.offsets[row + 1]!;
  for (let at = column.offsets[row]!; at < to; at++) if (column.values[at] === label) return true;
  return false;
}

/** Counting sort of all values by label. */
function toPostings({ counts, offsets: starts, values }: LabelColumn): Postings {
  const offsets = new Uint32Array(counts.length + 1);
  for (let label = 0; label < counts.length; label++) {
    offsets[label + 1] = offsets[label]! + counts[label]!;
  }
  const rows = new Uint32Array(offsets[counts.length]!);
  const next = offsets.slice();
  for (let row = 0; row < starts.length - 1; row++) {
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      const label = values[at]!;
      rows[next[label]!] = row;
      next[label]!++;
    }
  }
  return { offsets, rows };
}
