/** Many texts in one array of UTF-16 code units; text `n` lies from `offsets[n]` up to `offsets[n + 1]`. */
export interface TextTable {
  units: Uint16Array;
  offsets: Uint32Array;
}

/** The distinct values of one field by `keyOf`, numbered in the order of `keys`. */
export interface LabelTable {
  /** Ascending by code units. */
  keys: TextTable;
  /** The spelling of each in the first row that has it. */
  spellings: TextTable;
  /** Number of skills with this label, at least 1; and of those that are listed. */
  counts: Uint32Array;
  listedCounts: Uint32Array;
}

/** A field with any number of values per skill. */
export interface LabelColumn extends LabelTable {
  /** The labels of row `r` are `values` from `offsets[r]` up to `offsets[r + 1]`. */
  offsets: Uint32Array;
  values: Uint32Array;
}

/** The fields that are filtered by a label. */
export const LABEL_FIELDS = ['categories', 'tags', 'authors', 'repos', 'licenses'] as const;

export type LabelField = (typeof LABEL_FIELDS)[number];

/** A field of numbers; `UNKNOWN` if the skill has none. */
export interface NumberColumn {
  values: Float64Array;
  /** All rows by descending value, then row. */
  descending: Uint32Array;
}

/**
 * The search index of one snapshot. It has only flat arrays of exact size, so that threads share it. Rows of the listed
 * kinds come first, each part in the order of names, then ids.
 */
export interface SearchIndexData extends Record<LabelField, LabelColumn> {
  /** Number of skills. */
  count: number;
  /** All words, folded, ascending. */
  words: TextTable;
  /** The skills of word `n` are `postings` from `postingOffsets[n]` up to `postingOffsets[n + 1]`. */
  postingOffsets: Uint32Array;
  /** `row << 8 | fields` (see `fields.ts`), ascending within a word. */
  postings: Uint32Array;
  /** Folded names and display names, distinct, ascending. */
  names: TextTable;
  /** The skills of name `n` are `nameRows` from `nameOffsets[n]` up to `nameOffsets[n + 1]`, most popular first. */
  nameOffsets: Uint32Array;
  nameRows: Uint32Array;
  /** Number of distinct words of the name by row, at most 255. */
  nameSizes: Uint8Array;
  /** Number of listed skills (see `isListed`): the rows before it. */
  listed: number;
  /** By row: the position of its kind in `SKILL_KINDS`. */
  kinds: Uint8Array;
  /** 1 or 0 by row. */
  valid: Uint8Array;
  stars: NumberColumn;
  downloads: NumberColumn;
  updated: NumberColumn;
  /** All rows by stars, then downloads, then row; and the rank by row. */
  popularity: { rows: Uint32Array; ranks: Uint32Array };
}

/** The fields of a skill that contain a word: the low eight bits of a posting. */
export const FIELDS = {
  name: 1,
  displayName: 2,
  tags: 4,
  category: 8,
  author: 16,
  repository: 32,
  description: 64,
  /** Two adjacent words of a name written as one, for queries without the hyphen. Matches only as a whole. */
  joined: 128,
} as const;
