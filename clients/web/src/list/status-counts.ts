import { getAny } from '../api/use-get.ts';
import { useQuery } from '../api/use-query.ts';
import { toListPage, totalCount } from './list-page.ts';

export interface StatusCounts<Status extends string> {
  total: number;
  by_status: Record<Status, number>;
  /** Whether not all records were looked at. */
  isLeast?: boolean;
}

/** How many records of a filter have each status; of those of a search, which no index has, the newest are counted. */
export function useStatusCounts<Status extends string>(
  path: '/tasks' | '/agents',
  filter: object | undefined,
  statuses: readonly Status[],
  isSearch: boolean,
): StatusCounts<Status> | undefined {
  const { data, isStale } = useQuery(
    filter ? JSON.stringify(filter) : null,
    async (signal) => {
      const read = (more: object) =>
        getAny(path, { params: { query: { ...filter, fields: 'status', ...more } }, signal });
      const found = isSearch ? toListPage<{ status: Status }>(await read({ limit: 1_000 })) : undefined;
      const by_status = {} as Record<Status, number>;
      for (const status of statuses) {
        if (found) by_status[status] = found.rows.filter((row) => row.status === status).length;
        else by_status[status] = totalCount((await read({ status, limit: 1 })).response);
      }
      const total = statuses.reduce((sum, status) => sum + by_status[status], 0);
      return { total, by_status, isLeast: found?.next !== undefined };
    },
    { reloadOn: () => true, minIntervalMs: 5_000 },
  );
  return isStale ? undefined : data;
}
