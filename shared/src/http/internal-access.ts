import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { httpError } from './errors.ts';

/** Proves that a request comes from the gateway, which removes this header from clients' requests. */
export const INTERNAL_TOKEN_HEADER = 'x-fleet-internal-token';
/** The principal, `user:<e-mail>` or `key:<name>`. Only the gateway sets it; trust it only together with the token. */
export const PRINCIPAL_HEADER = 'x-fleet-principal';

/** Refuses requests that do not come from the gateway with 403 `forbidden`; without a token (development) none. */
export function requireInternalToken(token: string | undefined): RequestHandler {
  const isFromGateway = toTokenCheck(token);
  return (req, _res, next) => {
    if (!isFromGateway(req)) throw httpError('forbidden', 'This service accepts requests from the gateway only');
    next();
  };
}

/** Returns a check whether a request comes from the gateway; without a token it accepts all. */
export function toTokenCheck(token: string | undefined): (req: IncomingMessage) => boolean {
  if (token === undefined) return () => true;
  const expected = Buffer.from(token);
  return (req) => {
    const given = req.headers[INTERNAL_TOKEN_HEADER];
    return typeof given === 'string' && isEqual(Buffer.from(given), expected);
  };
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
