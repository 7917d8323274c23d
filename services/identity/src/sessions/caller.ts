import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import type { Caller } from '@agent-fleet/shared/http/internal-access';
import type { Origin } from '../http/origin.ts';

/** @throws 401 for a request without one: there is none without a gateway */
export function requireCaller({ caller }: Origin): Caller {
  if (!caller) throw unauthenticated();
  return caller;
}

export function unauthenticated(): HttpError {
  return detailError(401, 'Could not validate credentials', { 'www-authenticate': 'Bearer' });
}
