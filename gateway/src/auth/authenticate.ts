import { HttpError } from '@agent-fleet/shared/http/errors';
import type { Request, RequestHandler, Response } from 'express';
import { toNetwork } from '../client-address.ts';
import { rateLimited } from '../rate-limits/rate-limit.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { Principal } from './schemes/principal.ts';
import type { VerifierDependencies } from './schemes/scheme.ts';
import { SCHEMES } from './schemes/schemes.ts';
import { unauthenticated } from './unauthenticated.ts';

/** Limits of failures without and with credentials. */
export type FailureLimits = Pick<RateLimits, 'address' | 'failedAuthentication'>;

/**
 * Verifies every credential of a request, in the order of `schemes`: a valid one does not compensate for an invalid
 * one. For a client over its limit of failures, only credentials that this process has accepted before are verified, so
 * that guessing is useless.
 * @throws 401 without a valid credential that the route accepts, 403 for an invalid API key, 429 over the limit
 */
export function authenticate(
  dependencies: VerifierDependencies,
  failures: FailureLimits,
  schemes = SCHEMES,
): RequestHandler {
  const active = schemes.map(({ name, header, createVerifier }) => {
    return { name, header: header.toLowerCase(), verifier: createVerifier(dependencies) };
  });

  /** Verifies the credentials from the scheme `at` on; a promise only when a verifier returns one. */
  function verify(req: Request, res: Response, at = 0, found?: Principal): Promise<void> | undefined {
    const { access } = res.locals.route ?? {};
    let principal = found;
    for (let next = at; next < active.length; next++) {
      const { name, header, verifier } = active[next] as (typeof active)[number];
      const credential = credentialIn(req, header);
      if (credential === undefined) continue;
      const verified = verifier.verify(credential, req);
      const isAccepted = access !== 'bearer' || name === access;
      if (verified instanceof Promise) {
        const before = principal;
        return verified.then((later) => verify(req, res, next + 1, before ?? (isAccepted ? later : undefined)));
      }
      if (isAccepted) principal ??= verified;
    }
    if (!principal) throw unauthenticated();
    res.locals.principal = principal.principal;
    if (principal.email !== undefined) res.locals.userEmail = principal.email;
    return undefined;
  }

  function hasCredentials(req: Request): boolean {
    return active.some(({ header }) => req.headers[header] !== undefined);
  }

  /** Whether this process has accepted every credential of the request before. */
  function isKnown(req: Request): boolean {
    return active.every(({ header, verifier }) => {
      const credential = credentialIn(req, header);
      return credential === undefined || verifier.isKnown(credential, req);
    });
  }

  /** Counts a failure. @throws the failure, or 429 after too many */
  async function fail(error: unknown, req: Request, res: Response): Promise<never> {
    const limiter = hasCredentials(req) ? failures.failedAuthentication : failures.address;
    if (!limiter || !(error instanceof HttpError) || error.status >= 500) throw error;
    const grant = await limiter.take(networkOf(res));
    res.locals.rateLimit = grant;
    throw grant.allowed ? error : rateLimited(grant);
  }

  /** @throws 429 for unknown credentials from a client over its limit of failures */
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
    let verified: Promise<void> | undefined;
    try {
      verified = verify(req, res);
    } catch (error) {
      return fail(error, req, res);
    }
    if (!verified) return next();
    return verified.then(
      () => next(),
      (error) => fail(error, req, res),
    );
  };
}

function networkOf({ locals }: Response): string {
  return toNetwork(locals.clientAddress ?? '');
}

function credentialIn({ headers }: Request, header: string): string | undefined {
  return headers[header]?.toString();
}
