import type { LoadRequest } from '../load/load.ts';
import { meterRequests, type PageFigures } from './metered-requests.ts';
import { type RegistryStage, SEED } from './registry-stage.ts';
import { createSearches } from './searches/queries.ts';
import { PAGE } from './searches/search-engine.ts';

const ROUNDS = { rounds: 5, seconds: 2 };
const VARIED = 2_000;

export const PAGE_KINDS = {
  pages: 'different pages of the list',
  search: 'one search, repeated',
  searches: 'different searches of two words',
} as const;
export type PageKind = keyof typeof PAGE_KINDS;

/** How many pages of 50 skills per second do one gateway process and one registry process serve? */
export async function measurePages(on: RegistryStage): Promise<Map<PageKind, PageFigures>> {
  return await meterRequests(on, toRequests(on.skills), ROUNDS);
}

function toRequests(skills: number): Record<PageKind, LoadRequest[]> {
  // Some records of the source are merged or rejected.
  const pageCount = Math.floor((skills * 0.8) / PAGE);
  const pages = Array.from({ length: Math.min(VARIED, pageCount) }, (_, at) => ((at * 7_919) % pageCount) * PAGE);
  const searches = createSearches('words50', { seed: SEED, skills }, SEED, VARIED).map(({ q = '' }) => toSearch(q));
  return {
    pages: pages.map((skip) => ({ path: `/api/skills?limit=${PAGE}&skip=${skip}` })),
    search: searches.slice(0, 1),
    searches,
  };
}

function toSearch(q: string): LoadRequest {
  return { path: `/api/skills?q=${encodeURIComponent(q)}&limit=${PAGE}` };
}
