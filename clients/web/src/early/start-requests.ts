import { type EarlyResponses, requestKey } from '../api/early-responses.ts';

/** Starts requests whose responses `fetchEarly` finds. */
export function startRequests(paths: readonly string[]): void {
  const responses: EarlyResponses = new Map();
  for (const path of paths) {
    const response = fetch(path);
    // Its reader handles a failure.
    response.catch(() => undefined);
    responses.set(requestKey(new URL(path, location.origin)), response);
  }
  window.earlyResponses = responses;
}
