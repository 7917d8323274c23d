import { useLocation } from 'preact-iso';

export interface Address {
  query: URLSearchParams;
  /** Sets parameters; undefined and the empty text remove one. `isReplacing`: without a new entry in the history. */
  set: (changes: Record<string, string | undefined>, isReplacing?: boolean) => void;
}

/** The query of the page's address: the only place where filters are kept. */
export function useAddress(): Address {
  const { path, searchParams, route } = useSearch();
  return {
    query: searchParams,
    set(changes, isReplacing = false) {
      const next = new URLSearchParams(searchParams);
      for (const [name, value] of Object.entries(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const text = next.toString();
      if (text !== searchParams.toString()) route(text ? `${path}?${text}` : path, isReplacing);
    },
  };
}

function useSearch() {
  const { url, path, route } = useLocation();
  const at = url.indexOf('?');
  return { path, route, searchParams: new URLSearchParams(at < 0 ? '' : url.slice(at)) };
}
