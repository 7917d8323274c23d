import type { Init, ItemOf, ListPath } from '@agent-fleet/sdk';
import { getAny } from '../api/use-get.ts';
import { type Query, type QueryOptions, useQuery } from '../api/use-query.ts';
import { type ListPage, toListPage } from './list-page.ts';

export type List<Row> = Query<ListPage<Row>>;

type QueryOf<Path extends ListPath> =
  NonNullable<Init<Path, 'get'>[0]> extends { params?: { query?: infer Given } } ? NonNullable<Given> : never;

/** The page of a list that a query asks for. */
export function useList<Path extends ListPath>(
  path: Path,
  query: QueryOf<Path>,
  options?: QueryOptions<ListPage<ItemOf<Path>>>,
): List<ItemOf<Path>> {
  return useQuery(
    JSON.stringify(query),
    async (signal) => toListPage<ItemOf<Path>>(await getAny(path, { params: { query }, signal })),
    options,
  );
}
