import type { components } from '@agent-fleet/sdk';
import { fleet } from './fleet.ts';
import { type Query, type QueryOptions, useQuery } from './use-query.ts';

type Stats = components['schemas']['Stats'];

/** How many agents, tasks and workers there are, of which type and status. */
export function useStats(options?: QueryOptions<Stats>, isWanted = true): Query<Stats> {
  return useQuery(isWanted ? 'stats' : null, async (signal) => (await fleet.get('/stats', { signal })).data, options);
}
