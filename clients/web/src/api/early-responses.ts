import { FLEET_URL } from './prefix.ts';

/** Requests that the shell has started, by `requestKey`. */
type EarlyResponses = Map<string, Promise<Response>>;

declare global {
  interface Window {
    earlyResponses?: EarlyResponses;
  }
}

/** A request that takes longer is sent again, within the time limit of the SDK. */
const PATIENCE_MS = 8_000;

/** The same for the same parameters in another order. */
export function requestKey({ pathname, searchParams }: URL): string {
  const sorted = new URLSearchParams(searchParams);
  sorted.sort();
  return `${pathname}?${sorted}`;
}

/** What was requested for one user must not reach the next. */
export function forgetEarlyResponses(): void {
  window.earlyResponses?.clear();
}

/** `fetch` for the SDK; the first GET of what the shell has requested gets that response. */
export async function fetchEarly(url: string, init: RequestInit): Promise<Response> {
  const key = requestKey(new URL(url));
  const early = init.method === 'GET' ? window.earlyResponses?.get(key) : undefined;
  window.earlyResponses?.delete(key);
  if (!early) return fetch(url, init);
  return (await untilAborted(early, init.signal)) ?? fetch(url, init);
}

/** Undefined for a request that failed, takes too long or is no longer wanted. */
function untilAborted(early: Promise<Response>, signal?: AbortSignal | null): Promise<Response | undefined> {
  return new Promise((resolve) => {
    const end = (response?: Response) => {
      clearTimeout(timer);
      resolve(response);
    };
    const giveUp = () => end();
    const timer = setTimeout(giveUp, PATIENCE_MS);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted) giveUp();
    early.then(end, giveUp);
  });
}

/** The same as of the SDK. */
const TIMEOUT_MS = 20_000;
/** Later, they are not used: what they say may have changed. */
const MAX_AGE_MS = 10_000;

/** Starts requests whose responses `fetchEarly` finds. */
export function startRequests(paths: readonly string[]): void {
  const responses: EarlyResponses = new Map();
  for (const path of paths) {
    const url = new URL(FLEET_URL + path);
    const response = fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // Its reader handles a failure.
    response.catch(() => undefined);
    responses.set(requestKey(url), response);
  }
  window.earlyResponses = responses;
  setTimeout(() => responses.clear(), MAX_AGE_MS);
}

/** An item of localStorage while somebody is signed in: the role, which pages need before they read the session. */
export const SIGNED_IN_ITEM = 'fleet.signed-in';
