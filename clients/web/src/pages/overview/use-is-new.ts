import type { components } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';

/** Later than this after the first agent, the tasks are gone rather than yet to come. */
const NEW_MS = 86_400_000;

/** Whether the fleet has had no task yet, as far as can be told: ended tasks are deleted. Undefined until known. */
export function useIsNew(stats: components['schemas']['Stats'] | undefined): boolean | undefined {
  const hasNone = stats?.tasks.total === 0;
  const oldest = useQuery(hasNone ? 'oldest agent' : null, async (signal) => {
    const query = { order: 'asc', limit: 1, fields: 'created_at' } as const;
    return (await fleet.get('/agents', { params: { query }, signal })).data[0] ?? null;
  });
  if (!stats) return undefined;
  if (!hasNone || stats.agents.total === 0) return hasNone;
  if (oldest.error !== undefined) return false;
  if (oldest.data === undefined) return undefined;
  return oldest.data === null || Date.parse(oldest.data.created_at) > Date.parse(stats.at) - NEW_MS;
}
