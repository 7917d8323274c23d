import { type EarlyResponses, requestKey } from '../api/early-responses.ts';

/** The same as of the SDK. */
const TIMEOUT_MS = 20_000;
/** Later, they are not used: what they say may have changed. */
const MAX_AGE_MS = 10_000;

/** Starts requests whose responses `fetchEarly` finds. */
export function startRequests(paths: readonly string[]): void {
  const responses: EarlyResponses = new Map();
  for (const path of paths) {
    const response = fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // Its reader handles a failure.
    response.catch(() => undefined);
    responses.set(requestKey(new URL(path, location.origin)), response);
  }
  window.earlyResponses = responses;
  setTimeout(() => responses.clear(), MAX_AGE_MS);
}
