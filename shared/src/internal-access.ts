import { timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { httpError } from './errors.ts';

/** Proves that a request comes from the gateway, which strips what clients send under this name. */
export const INTERNAL_TOKEN_HEADER = 'x-fleet-internal-token';
/** Who calls, `user:<e-mail>` or `key:<name>`: set by the gateway alone, to be believed only with the token. */
export const PRINCIPAL_HEADER = 'x-fleet-principal';

/** Refuses (403 `forbidden`) what does not come from the gateway; without a token, in development, anyone may call. */
export function requireInternalToken(token: string | undefined): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const expected = Buffer.from(token);
  return (req, _res, next) => {
    const given = req.headers[INTERNAL_TOKEN_HEADER];
    if (typeof given !== 'string' || !isEqual(Buffer.from(given), expected)) {
      throw httpError('forbidden', 'This service answers the gateway only');
    }
    next();
  };
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
