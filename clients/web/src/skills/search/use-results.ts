import { useState } from 'preact/hooks';
import { type Query, useQuery } from '../../api/use-query.ts';
import { listQuery } from './list-query.ts';
import { knownResults, loadMore, loadResults, type Results } from './results.ts';

/** Answers the query of an address of the catalogue. */
export function useResults(address: URLSearchParams): Query<Results> {
  const query = listQuery(address);
  const key = new URLSearchParams(query).toString();
  return useQuery(key, (signal) => loadResults(key, query, signal), { known: knownResults(key) });
}

export interface NextPage {
  isLoading: boolean;
  error: unknown;
  /** Resolves with whether there are more rows now. */
  load: () => Promise<boolean>;
}

/** Adds the next page to the known results of the same query. */
export function useNextPage(results: Results | undefined): NextPage {
  const [state, setState] = useState<{ key: string; isLoading: boolean; error?: unknown }>();
  const key = results?.key ?? '';
  const isOwn = state?.key === key;

  async function load(): Promise<boolean> {
    if (!results || (isOwn && state.isLoading)) return false;
    setState({ key, isLoading: true });
    try {
      await loadMore(results);
      setState({ key, isLoading: false });
      return true;
    } catch (error) {
      setState({ key, isLoading: false, error });
      return false;
    }
  }

  return { isLoading: isOwn && state.isLoading, error: isOwn ? state.error : undefined, load };
}
