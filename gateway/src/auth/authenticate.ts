import { detailError, HttpError } from '@agent-fleet/shared/http/errors';
import type { Request, RequestHandler, Response } from 'express';
import { toNetwork } from '../client-address.ts';
import { rateLimited } from '../rate-limits/rate-limit.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import type { ApiKeys } from './schemes/api-keys.ts';
import { type BearerTokens, type BearerUser, toPrincipal } from './schemes/bearer-tokens.ts';

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

/** What counts failures; each is left out where there is no such limit. */
export interface FailureLimits {
  /** Of requests without credentials. */
  address: RateLimiter | undefined;
  /** Of credentials that are not good. */
  failedAuthentication: RateLimiter | undefined;
}

/**
 * Checks each credential that is sent, bearer first, as far as the route wants any: a good one does not make up for a bad one. From a
 * client whose failures are over their limit nothing is checked but what was found good before, so that guessing leads to nothing.
 * @throws 401 without a good bearer token (or API key, where one is enough), 403 for an API key that is not valid, 429 over the limit
 */
export function authenticate(bearerTokens: BearerTokens, apiKeys: ApiKeys, failures: FailureLimits): RequestHandler {
  function admit(req: Request, res: Response, user: BearerUser | undefined): void {
    const key = readApiKey(req);
    const keyName = key === undefined ? undefined : apiKeys.nameOf(key);
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

  /** A promise only where Redis has to be asked. */
  function check(req: Request, res: Response): Promise<void> | undefined {
    if (req.headers.authorization === undefined) {
      admit(req, res, undefined);
      return undefined;
    }
    const token = readBearer(req);
    const user = token === undefined ? undefined : bearerTokens.verify(token);
    if (user instanceof Promise) return user.then((found) => admit(req, res, found ?? refuse()));
    admit(req, res, user ?? refuse());
    return undefined;
  }

  function isKnown(req: Request): boolean {
    const key = readApiKey(req);
    const isKnownKey = key !== undefined && apiKeys.isKnown(key);
    if (req.headers.authorization === undefined) return isKnownKey;
    const token = readBearer(req);
    return token !== undefined && bearerTokens.isKnown(token) && (key === undefined || isKnownKey);
  }

  /** Counts a failure. @throws it, or 429 when there were too many */
  async function fail(error: unknown, req: Request, res: Response): Promise<never> {
    const limiter = hasCredentials(req) ? failures.failedAuthentication : failures.address;
    if (!limiter || !(error instanceof HttpError) || error.status >= 500) throw error;
    const grant = await limiter.take(networkOf(res));
    res.locals.rateLimit = grant;
    throw grant.allowed ? error : rateLimited(grant);
  }

  /** @throws 429 for what would be checked, from a client whose failures are over their limit */
  function requireFewFailures(req: Request, res: Response): void {
    const limiter = failures.failedAuthentication;
    const network = networkOf(res);
    if (!limiter?.isExhausted(network) || !hasCredentials(req) || isKnown(req)) return;
    const grant = limiter.take(network);
    if (grant instanceof Promise || grant.allowed) return;
    res.locals.rateLimit = grant;
    throw rateLimited(grant);
  }

  return (req, res, next) => {
    if (res.locals.route?.access === 'public') return next();
    requireFewFailures(req, res);
    let checked: Promise<void> | undefined;
    try {
      checked = check(req, res);
    } catch (error) {
      return fail(error, req, res);
    }
    if (!checked) return next();
    return checked.then(
      () => next(),
      (error) => fail(error, req, res),
    );
  };
}

function networkOf({ locals }: Response): string {
  return toNetwork(locals.clientAddress ?? '');
}

function hasCredentials({ headers }: Request): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

/** Node joins a repeated X-API-Key with commas, which no key holds. */
function readApiKey({ headers }: Request): string | undefined {
  return headers['x-api-key']?.toString();
}

function refuse(): never {
  throw unauthenticated();
}

const SCHEME = 'bearer ';

/** The token of one `Authorization: Bearer …` (RFC 6750 section 2.1), the scheme in any case; undefined for any other value. */
function readBearer(req: Request): string | undefined {
  const header = req.headers.authorization as string;
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME || isRepeated(req.rawHeaders)) return undefined;
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
