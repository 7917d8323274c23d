import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';

/** 401 with a challenge (RFC 6750 section 3). */
export function unauthenticated(detail = 'Could not validate credentials'): HttpError {
  return detailError(401, detail, { 'www-authenticate': 'Bearer' });
}
