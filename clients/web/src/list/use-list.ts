import { type Query, type QueryOptions, useQuery } from '../api/use-query.ts';
import { type ListPage, toListPage } from './list-page.ts';

export type List<Row> = Query<ListPage<Row>>;

type Answer<Row> = Promise<{ data: Row[]; response: Response }>;

/** The page of a list that a query of the API asks for. */
export function useList<Row>(
  query: object,
  load: (signal: AbortSignal) => Answer<Row>,
  options?: QueryOptions<ListPage<Row>>,
): List<Row> {
  return useQuery(JSON.stringify(query), (signal) => load(signal).then(toListPage), options);
}
