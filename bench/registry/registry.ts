import type { LoadGenerator } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import { type Listing, measureListing } from './listing.ts';
import { measurePages, type PageFigures, type PageKind } from './pages.ts';
import { measureRefreshes, type Refresh } from './refresh.ts';
import { openRegistryStage } from './registry-stage.ts';
import { measureSearches, type Searches } from './searches.ts';

/** Size of the largest known registry. */
export const SKILLS = 161_475;

export interface RegistryResults {
  skills: number;
  listing: Listing;
  searches: Searches;
  pages: Map<PageKind, PageFigures>;
  refreshes: Refresh[];
}

/** How does the registry service handle a very large registry? */
export async function measureRegistry(
  stage: Stage,
  generator: LoadGenerator,
  skills = SKILLS,
): Promise<RegistryResults> {
  const on = await openRegistryStage(stage, generator, skills);
  return {
    skills,
    listing: await measureListing(on),
    pages: await measurePages(on),
    searches: await measureSearches(stage, skills),
    refreshes: await measureRefreshes(on),
  };
}
