import type { LoadGenerator } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import { calibrate } from './calibration.ts';
import { type Listing, measureListing } from './listing.ts';
import type { PageFigures } from './metered-requests.ts';
import { measurePages, type PageKind } from './pages.ts';
import { measureRefreshes, type RefreshResults } from './refresh.ts';
import { openRegistryStage } from './registry-stage.ts';

/** Size of the largest known registry. */
export const SKILLS = 161_475;

/** `parseSeconds`: see `calibrate`, measured before each. */
export interface RegistryResults {
  skills: number;
  listing: { parseSeconds: number } & Listing;
  pages: { parseSeconds: number; kinds: Map<PageKind, PageFigures> };
  refresh: { parseSeconds: number } & RefreshResults;
}

/** How does the registry service handle a very large registry? */
export async function measureRegistry(
  stage: Stage,
  generator: LoadGenerator,
  skills: number,
): Promise<RegistryResults> {
  const on = await openRegistryStage(stage, generator, skills);
  const toParse = async () => ({ parseSeconds: await calibrate(skills, stage.signal) });
  return {
    skills,
    listing: { ...(await toParse()), ...(await measureListing(on)) },
    pages: { ...(await toParse()), kinds: await measurePages(on) },
    refresh: { ...(await toParse()), ...(await measureRefreshes(on)) },
  };
}
