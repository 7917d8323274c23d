import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';

/** The types that the fleet allows for agents. */
export function useTypes(isWanted: boolean): readonly string[] | undefined {
  const { data } = useQuery(isWanted ? 'types' : null, (signal) => fleet.get('/stats', { signal }));
  return data && Object.keys(data.data.agents.by_type);
}
