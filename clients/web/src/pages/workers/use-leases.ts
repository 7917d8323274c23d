import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import type { LeaseInfo } from './lease-table.tsx';
import { leasedTasksQuery, leasesQuery } from './workers-query.ts';

export interface Leases {
  rows: readonly LeaseInfo[];
  total: number;
}

const LEASE_EVENTS = new Set<string>([
  'task.leased',
  'task.released',
  'task.retry',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.deleted',
]);

const OPTIONS = {
  everyMs: 5_000,
  minIntervalMs: 2_000,
  reloadOn: ({ type }: { type: string }) => LEASE_EVENTS.has(type),
};

/** The leases that the address asks for. */
export function useLeases(address: URLSearchParams): Query<Leases> {
  const query = leasesQuery(address);
  const load = async (signal: AbortSignal): Promise<Leases> => {
    const { data, response } = await fleet.get('/leases', { params: { query }, signal });
    return { rows: data, total: totalCount(response) };
  };
  return useQuery(JSON.stringify(query), load, OPTIONS);
}

/** What the tasks of these leases are about; nothing of those that began or ended since. */
export function useMessages(address: URLSearchParams): ReadonlyMap<string, string> {
  const query = leasedTasksQuery(address);
  const load = async (signal: AbortSignal) => {
    const { data } = await fleet.get('/tasks', { params: { query }, signal });
    return new Map(data.map(({ id, message }) => [id, message]));
  };
  return useQuery(JSON.stringify(query), load, OPTIONS).data ?? new Map();
}
