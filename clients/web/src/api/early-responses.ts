/** Requests that the shell has started, by `requestKey`. */
export type EarlyResponses = Map<string, Promise<Response>>;

declare global {
  interface Window {
    earlyResponses?: EarlyResponses;
  }
}

/** Older ones are not used: what they say may have changed. */
const MAX_AGE_MS = 10_000;

/** The same for the same parameters in another order. */
export function requestKey({ pathname, searchParams }: URL): string {
  const sorted = new URLSearchParams(searchParams);
  sorted.sort();
  return `${pathname}?${sorted}`;
}

/** `fetch` for the SDK; the first GET of what the shell has requested gets that response. */
export async function fetchEarly(url: string, init: RequestInit): Promise<Response> {
  const key = requestKey(new URL(url));
  const early = init.method === 'GET' ? window.earlyResponses?.get(key) : undefined;
  window.earlyResponses?.delete(key);
  if (!early || performance.now() > MAX_AGE_MS) return fetch(url, init);
  return early.catch(() => fetch(url, init));
}
