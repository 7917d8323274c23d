import type { Init, ItemOf, ListPath } from '@agent-fleet/sdk';
import { useRef } from 'preact/hooks';
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
    async (signal) => toListPage<ItemOf<Path>>(await getAny(path, { params: { query }, signal }), 'q' in query),
    options,
  );
}

interface Found<T> {
  record: T | undefined;
  error: unknown;
}

/**
 * The record that the address names: that of its row, or else read, if it can be. While it is named, it stays as it was
 * found first, so that a form does not change under the hands of its reader.
 */
export function useRecord<T extends { id: string }>(
  id: string | null,
  rows: readonly T[] | undefined,
  read?: (id: string, signal: AbortSignal) => Promise<T>,
): Found<T> {
  const kept = useRef<T | undefined>(undefined);
  const isKept = id !== null && kept.current?.id === id;
  const row = isKept ? undefined : rows?.find((one) => one.id === id);
  const isElsewhere = read !== undefined && id !== null && !isKept && rows !== undefined && !row;
  const other = useQuery(isElsewhere ? id : null, async (signal) => read?.(id ?? '', signal));
  if (!isKept) kept.current = row ?? (isElsewhere && !other.isStale ? other.data : undefined);
  return { record: kept.current, error: isElsewhere ? other.error : undefined };
}
