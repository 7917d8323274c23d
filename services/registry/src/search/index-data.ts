/** Many texts in one array of UTF-16 code units; text `n` is from `offsets[n]` to `offsets[n + 1]`. */
export interface TextTable {
  units: Uint16Array;
  offsets: Uint32Array;
}

/** The values that one field of skills has, those of the same `keyOf` being one; numbers are in the order of `keys`. */
export interface LabelTable {
  /** Each by its `keyOf`, ascending by code units. */
  keys: TextTable;
  /** As first met. */
  spellings: TextTable;
  /** How many skills have it, at least 1. */
  counts: Uint32Array;
}

/** A field with one value a skill. */
export interface LabelColumn extends LabelTable {
  /** By row: the number of the label; the number of labels where the skill has none. */
  values: Uint32Array;
}

/** A field with several values a skill. */
export interface LabelListColumn extends LabelTable {
  /** The labels of row `r` are `values` from `offsets[r]` to `offsets[r + 1]`. */
  offsets: Uint32Array;
  values: Uint32Array;
}

/** A field of numbers: `UNKNOWN` where the skill has none. */
export interface NumberColumn {
  values: Float64Array;
  /** All rows, the greatest value first, unknown ones last; equal ones by row. */
  descending: Uint32Array;
}

/** Less than any number, so that unknown values come last and are never “since” a time. */
export const UNKNOWN = Number.NEGATIVE_INFINITY;

/**
 * The search index of one snapshot: flat arrays of exact size only, so that it moves between threads without being
 * copied. Rows are numbered in the order of names, then ids.
 */
export interface SearchIndexData {
  /** Number of skills. */
  count: number;
  /** Every word that a skill has, folded, ascending. */
  words: TextTable;
  /** The skills of word `n` are `postings` from `postingOffsets[n]` to `postingOffsets[n + 1]`. */
  postingOffsets: Uint32Array;
  /** `row << 8 | fields` (see `fields.ts`), ascending within a word. */
  postings: Uint32Array;
  /** Folded names and display names, each once, ascending. */
  names: TextTable;
  /** The skills of name `n` are `nameRows` from `nameOffsets[n]` to `nameOffsets[n + 1]`, the most popular first. */
  nameOffsets: Uint32Array;
  nameRows: Uint32Array;
  /** By name: as first met. */
  nameSpellings: TextTable;
  /** By row: how many different words the name has, at most 255. */
  nameSizes: Uint8Array;
  categories: LabelColumn;
  authors: LabelColumn;
  repos: LabelColumn;
  licenses: LabelColumn;
  tags: LabelListColumn;
  /** By row: 1 or 0. */
  valid: Uint8Array;
  stars: NumberColumn;
  downloads: NumberColumn;
  updated: NumberColumn;
  /** All rows by stars, then downloads, then row; and by row the place in it. */
  popularity: { rows: Uint32Array; ranks: Uint32Array };
}

/** Everything of an index that can be handed to another thread without a copy. */
export function transferablesOf(data: SearchIndexData): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  collect(data, buffers);
  return buffers;
}

function collect(part: object, buffers: ArrayBuffer[]): void {
  for (const value of Object.values(part)) {
    if (ArrayBuffer.isView(value)) buffers.push(value.buffer as ArrayBuffer);
    else if (typeof value === 'object') collect(value, buffers);
  }
}
