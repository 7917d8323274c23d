import { useEffect } from 'preact/hooks';
import type { Query } from '../../api/use-query.ts';

/** Tells the page when the list is there, or why not. */
export function useReady({ data, error }: Query<unknown>, onReady: () => void): void {
  const isReady = data !== undefined || error !== undefined;
  useEffect(() => {
    if (isReady) onReady();
  }, [isReady, onReady]);
}
