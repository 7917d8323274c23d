import { useLocation } from 'preact-iso/router';

export interface Address {
  query: URLSearchParams;
  /** Sets parameters; undefined and the empty text remove one. `isReplacing`: without a new entry in the history. */
  set: (changes: Changes, isReplacing?: boolean) => void;
  /** The address after such changes, for links. */
  hrefOf: (changes: Changes) => string;
}

type Changes = Record<string, string | undefined>;

/** The query of the page's address: the only place where filters are kept. */
export function useAddress(): Address {
  const { path, searchParams, route } = useSearch();
  const toHref = (query: URLSearchParams) => (query.size > 0 ? `${path}?${query}` : path);
  return {
    query: searchParams,
    set(changes, isReplacing = false) {
      const next = withChanges(searchParams, changes);
      if (next.toString() !== searchParams.toString()) route(toHref(next), isReplacing);
    },
    hrefOf: (changes) => toHref(withChanges(searchParams, changes)),
  };
}

function withChanges(query: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

function useSearch() {
  const { url, path, route } = useLocation();
  const at = url.indexOf('?');
  return { path, route, searchParams: new URLSearchParams(at < 0 ? '' : url.slice(at)) };
}
