import { detailError, type HttpError } from '@agent-fleet/shared/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiKeys } from './api-keys.ts';
import { type BearerTokens, type BearerUser, toPrincipal } from './bearer.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Who calls, as the services get it: `user:<e-mail>` or `key:<name>`. */
      principal?: string;
      /** The user of a bearer token. */
      userEmail?: string;
    }
  }
}

export function unauthenticated(detail = 'Could not validate credentials'): HttpError {
  return detailError(401, detail, { 'www-authenticate': 'Bearer' });
}

/**
 * Checks each credential that is sent, bearer first, as far as the route wants any: a good one does not make up for a bad one.
 * @throws 401 without a good bearer token (or API key, where one is enough), 403 for an API key that is not valid
 */
export function authenticate(bearerTokens: BearerTokens, apiKeys: ApiKeys): RequestHandler {
  function admit(req: Request, res: Response, user: BearerUser | undefined): void {
    const key = req.headers['x-api-key'];
    // Node joins a repeated X-API-Key with commas, which no key holds.
    const keyName = key === undefined ? undefined : apiKeys.nameOf(String(key));
    if (key !== undefined && keyName === undefined) throw detailError(403, 'Invalid API key');
    if (user) {
      res.locals.principal = user.principal;
      res.locals.userEmail = user.email;
    } else if (keyName !== undefined && res.locals.route?.access !== 'bearer') {
      res.locals.principal = toPrincipal('key', keyName);
    } else {
      throw unauthenticated();
    }
  }

  return (req, res, next) => {
    if (res.locals.route?.access === 'public') return next();
    if (req.headers.authorization === undefined) {
      admit(req, res, undefined);
      return next();
    }
    const user = bearerTokens.verify(readBearer(req));
    if (user instanceof Promise) return user.then((found) => admit(req, res, found ?? refuse())).then(() => next());
    admit(req, res, user ?? refuse());
    next();
  };
}

function refuse(): never {
  throw unauthenticated();
}

const SCHEME = 'bearer ';

/** The token of `Authorization: Bearer …` (RFC 6750 section 2.1), the scheme in any case. @throws 401 for any other value */
function readBearer(req: Request): string {
  const header = req.headers.authorization as string;
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME || isRepeated(req.rawHeaders)) throw unauthenticated();
  return header.slice(SCHEME.length).trim();
}

const AUTHORIZATION = 'authorization';

/** Node keeps the first of two Authorization headers in silence. */
function isRepeated(rawHeaders: string[]): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) times++;
  }
  return times > 1;
}
