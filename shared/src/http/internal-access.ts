import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { httpError } from './errors.ts';

/** Proves that a request comes from the gateway, which strips what clients send under this name. */
export const INTERNAL_TOKEN_HEADER = 'x-fleet-internal-token';
/** Who calls, `user:<e-mail>` or `key:<name>`: set by the gateway alone, to be believed only with the token. */
export const PRINCIPAL_HEADER = 'x-fleet-principal';

/** Refuses (403 `forbidden`) what does not come from the gateway; without a token, in development, anyone may call. */
export function requireInternalToken(token: string | undefined): RequestHandler {
  const isFromGateway = toTokenCheck(token);
  return (req, _res, next) => {
    if (!isFromGateway(req)) throw httpError('forbidden', 'This service answers the gateway only');
    next();
  };
}

/** Tells whether a request comes from the gateway; without a token all are taken for such. */
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
