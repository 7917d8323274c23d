import { createFleet } from '@agent-fleet/sdk';
import { fetchEarly } from './early-responses.ts';

/** The API of the fleet that serves this page. The browser sends the cookie of the session. */
export const fleet = createFleet({ url: location.origin, fetch: fetchEarly, timeoutMs: 20_000, retries: 2 });
