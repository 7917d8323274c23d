import type { components, Fleet } from '@agent-fleet/sdk';

type Session = components['schemas']['CurrentSession'];

/** Who is signed in. @throws FleetError 401, 403 for credentials that are not valid */
export async function readSession(fleet: Fleet, signal: AbortSignal): Promise<Session> {
  const { data } = await fleet.get('/session', { signal });
  // It is null only for `optional=true`.
  return data as Session;
}
