import { createFleet } from '@agent-fleet/sdk';
import { fetchEarly } from './early-responses.ts';
import { exactJson } from './exact-json.ts';
import { FLEET_URL } from './prefix.ts';

/** The API of the fleet that serves this page. The browser sends the cookie of the session. */
export const fleet = createFleet({
  url: FLEET_URL,
  fetch: fleetFetch,
  timeoutMs: 20_000,
  retries: 2,
  json: exactJson,
});

let onRefused = (_status: 401 | 403): void => {};

/** Sets what happens after a response that says that nobody is signed in (401) or that the user may not (403). */
export function whenRefused(listener: (status: 401 | 403) => void): void {
  onRefused = listener;
}

/** `fetch`, for what the SDK does not request too. */
export async function fleetFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetchEarly(url, init);
  // At sign-in, 401 means a wrong password.
  const isSignIn = init.method === 'POST' && url === `${FLEET_URL}/session`;
  if (!isSignIn && (response.status === 401 || response.status === 403)) onRefused(response.status);
  return response;
}
