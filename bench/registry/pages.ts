import type { Figures, LoadRequest } from '../load/load.ts';
import { alternate } from '../load/rounds.ts';
import { createQueries } from './queries.ts';
import type { RegistryStage } from './registry-stage.ts';

const SECONDS = 2;
const ROUNDS = 5;
export const PAGE = 50;
const VARIED = 2_000;
const QUERY_SEED = 2;

export const PAGE_KINDS = {
  pages: 'different pages of the list',
  search: 'one search, repeated',
  searches: 'different searches of two words',
} as const;
export type PageKind = keyof typeof PAGE_KINDS;

/** `perCoreSecond`: requests per second of processor time of the gateway and the service together. */
export type PageFigures = Figures & { perCoreSecond: number };

/** How many pages of 50 skills per second do one gateway process and one registry process serve? */
export async function measurePages({
  stage,
  generator,
  ports,
  skills,
}: RegistryStage): Promise<Map<PageKind, PageFigures>> {
  const requests = toRequests(skills);
  const used = new Map<PageKind, { requests: number; seconds: number }>();
  const processorSeconds = async () =>
    (await stage.processorSeconds('gateway')) + (await stage.processorSeconds('registry'));

  async function load(kind: PageKind): Promise<Figures> {
    const before = await processorSeconds();
    const figures = await generator.load({ port: ports.gateway, requests: requests[kind], seconds: SECONDS });
    const { requests: count, seconds } = used.get(kind) ?? { requests: 0, seconds: 0 };
    used.set(kind, { requests: count + figures.requests, seconds: seconds + (await processorSeconds()) - before });
    return figures;
  }
  const kinds = Object.keys(PAGE_KINDS) as PageKind[];
  const figures = await alternate(
    kinds.map((name) => ({ name, run: () => load(name) })),
    ROUNDS,
  );
  return new Map(
    [...figures].map(([kind, each]) => {
      const { requests: count, seconds } = used.get(kind) ?? { requests: 0, seconds: Number.NaN };
      return [kind, { ...each, perCoreSecond: count / seconds }];
    }),
  );
}

function toRequests(skills: number): Record<PageKind, LoadRequest[]> {
  // Some records of the source are merged or rejected.
  const pageCount = Math.floor((skills * 0.8) / PAGE);
  const pages = Array.from({ length: Math.min(VARIED, pageCount) }, (_, at) => ((at * 7_919) % pageCount) * PAGE);
  const searches = createQueries(QUERY_SEED, VARIED).map(({ q }) => toSearch(q));
  return {
    pages: pages.map((skip) => ({ path: `/api/skills?limit=${PAGE}&skip=${skip}` })),
    search: searches.slice(0, 1),
    searches,
  };
}

function toSearch(q: string): LoadRequest {
  return { path: `/api/skills?q=${encodeURIComponent(q)}&limit=${PAGE}` };
}
