import type { LoadGenerator, LoadRequest } from '../../load/load.ts';
import type { Stage } from '../../stage/stage.ts';
import { calibrate } from '../calibration.ts';
import { meterRequests, type PageFigures } from '../metered-requests.ts';
import { openRegistryStage, type RegistryStage, SEED } from '../registry-stage.ts';
import { type EngineResults, measureEngines } from './engines.ts';
import { createSearches, KINDS, type Search, type SearchedRegistry, type SearchKind } from './queries.ts';
import { FACETS, PAGE } from './search-engine.ts';

const ROUNDS = { rounds: 4, seconds: 2 };
/** More than the caches of responses have room for: each search is new to the service. */
const VARIED = 2_000;

/** `parseSeconds`: see `calibrate`, measured before each. */
export interface SearchResults {
  skills: number;
  gateway: { parseSeconds: number; kinds: Map<SearchKind, PageFigures> };
  engines: { parseSeconds: number } & EngineResults;
}

/** How fast are searches of several kinds, through the gateway and in a process beside other search engines? */
export async function measureSearches(stage: Stage, generator: LoadGenerator, skills: number): Promise<SearchResults> {
  const { signal } = stage;
  const registry: SearchedRegistry = { seed: SEED, skills };
  const on = await openRegistryStage(stage, generator, skills);
  return {
    skills,
    gateway: { parseSeconds: await calibrate(skills, signal), kinds: await measureGateway(on, registry) },
    engines: { parseSeconds: await calibrate(skills, signal), ...(await measureEngines(registry, signal)) },
  };
}

async function measureGateway(on: RegistryStage, registry: SearchedRegistry): Promise<Map<SearchKind, PageFigures>> {
  const requests = KINDS.map((kind) => [kind, createSearches(kind, registry, SEED, VARIED).map(toRequest)]);
  return await meterRequests(on, Object.fromEntries(requests) as Record<SearchKind, LoadRequest[]>, ROUNDS);
}

function toRequest(search: Search): LoadRequest {
  const parameters = Object.entries(search).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { path: `/api/catalogue?${[...parameters, `facets=${FACETS.join(',')}`, `limit=${PAGE}`].join('&')}` };
}
