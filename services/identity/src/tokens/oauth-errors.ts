import type { ErrorDoc } from '@agent-fleet/shared/contract/operation';
import { HttpError } from '@agent-fleet/shared/http/errors';

const WRONG_GRANT = 'The grant is not supported, or the refresh token is unknown, used, expired or revoked';
const WRONG_SCOPE = 'A scope is unknown, or is more than the user or the refresh token has';

/** Bodies as in RFC 6749 section 5.2. */
export const INVALID_GRANT: ErrorDoc = {
  status: 400,
  description: 'The refresh token was refused, or the grant is another one.',
  example: { error: 'invalid_grant', error_description: WRONG_GRANT },
};
export const INVALID_SCOPE: ErrorDoc = {
  status: 400,
  description: 'A scope does not exist, or the user does not have it.',
  example: { error: 'invalid_scope', error_description: WRONG_SCOPE },
};

export function invalidGrant(): HttpError {
  return oauthError(INVALID_GRANT);
}

export function invalidScope(): HttpError {
  return oauthError(INVALID_SCOPE);
}

function oauthError({ status, example }: ErrorDoc): HttpError {
  return new HttpError(status, example, String(example.error));
}
