import type { SkillKind } from '../skills/skill.ts';

export const FACET_NAMES = ['category', 'kind', 'tag', 'author', 'license', 'valid'] as const;

export type FacetName = (typeof FACET_NAMES)[number];

/** A skill must pass all filters. They are compared by `keyOf`; empty ones do not count. */
export interface SearchQuery {
  q?: string;
  /** The id of a category. */
  category?: string;
  /** Default: the listed kinds. */
  kinds?: readonly SkillKind[];
  tag?: string;
  author?: string;
  repo?: string;
  license?: string;
  valid?: boolean;
  /** Milliseconds; excludes skills without a time. */
  updatedSince?: number;
  /** Default `relevance` with `q`, else `name`. */
  sort?: 'name' | 'stars' | 'downloads' | 'updated' | 'relevance' | 'trending';
  /** Default `asc` for names, else `desc`. */
  order?: 'asc' | 'desc';
  facets?: readonly FacetName[];
  skip: number;
  limit?: number;
}

export interface Found {
  /** Number of all matches. */
  total: number;
  /** One page. */
  rows: Uint32Array;
  /** Of all matches: `{"category":[{"value":"…","count":1}],…}`. Undefined without `facets`. */
  facetsJson?: string;
}
