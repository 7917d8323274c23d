export const FACET_NAMES = ['category', 'tag', 'author', 'license', 'valid'] as const;

export type FacetName = (typeof FACET_NAMES)[number];

/** What is asked for; filters are combined, compared by `keyOf`, and none where empty. */
export interface SearchQuery {
  q?: string;
  /** The id of a category. */
  category?: string;
  tag?: string;
  author?: string;
  repo?: string;
  license?: string;
  valid?: boolean;
  /** Milliseconds; skills without a time are not since any. */
  updatedSince?: number;
  /** By relevance where there is a `q`, else by name. */
  sort?: 'name' | 'stars' | 'downloads' | 'updated' | 'relevance';
  /** Names ascend, all else descends. */
  order?: 'asc' | 'desc';
  facets?: readonly FacetName[];
  skip: number;
  limit?: number;
}

export interface FacetValue {
  value: string;
  count: number;
}

export interface Found {
  /** All matches, not only those of the page. */
  total: number;
  /** The page. */
  rows: Uint32Array;
  facets?: Partial<Record<FacetName, FacetValue[]>>;
}
