import { createFleet } from '@agent-fleet/sdk';
import { fetchEarly } from './early-responses.ts';

/** The API of the fleet that serves this page. The browser sends the cookie of the session. */
export const fleet = createFleet({ url: location.origin, fetch: fleetFetch, timeoutMs: 20_000, retries: 2 });

let onUnauthorized = (): void => {};

/** Sets what happens after a response that says that nobody is signed in. */
export function whenUnauthorized(listener: () => void): void {
  onUnauthorized = listener;
}

/** `fetch`, for what the SDK does not request too. */
export async function fleetFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetchEarly(url, init);
  // At sign-in, 401 means a wrong password.
  const isSignIn = init.method === 'POST' && new URL(url).pathname === '/session';
  if (response.status === 401 && !isSignIn) onUnauthorized();
  return response;
}
