import { HttpError } from '@agent-fleet/shared/http/errors';
import { toNetwork } from '@agent-fleet/shared/network';
import type { Request, RequestHandler, Response } from 'express';
import { type RateLimits, rateLimited } from '../rate-limits/rate-limits.ts';
import { isPublic, isSessionCheck, type Route } from '../routing/routes.ts';
import type { Principal } from './schemes/principal.ts';
import { unauthenticated, type Verifier, type VerifierDependencies } from './schemes/scheme.ts';
import { SCHEMES } from './schemes/schemes.ts';
import { requireOwnPage } from './schemes/session-scheme.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Who sent the request, and what it may do. */
      caller?: Principal;
      /** The position in the changes of credentials at which the caller was verified. */
      changesSeen?: number;
    }
  }
}

/** Limits of failures without and with credentials. */
export type FailureLimits = Pick<RateLimits, 'address' | 'failedAuthentication'>;

/**
 * Verifies every credential of a request, in the order of `schemes`: a valid one does not compensate for an invalid
 * one. For a client over its limit of failures, only credentials that this process has accepted before are verified, so
 * that guessing is useless.
 * @throws 401 without a valid credential that the route accepts, unless the request only asks who is signed in; 403 for
 * an invalid API key, 429 over the limit
 */
export function authenticate(
  dependencies: VerifierDependencies,
  failures: FailureLimits,
  schemes = SCHEMES,
): RequestHandler {
  const credentials = new Credentials(dependencies, schemes);

  /**
   * Counts a failure. A request that only asks who is signed in goes on, if it failed by its cookie.
   * @throws the failure, or 429 after too many
   */
  async function fail(error: unknown, req: Request, res: Response): Promise<void> {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    const limiter = credentials.find(req, res).length > 0 ? failures.failedAuthentication : failures.address;
    const grant = await limiter?.take(networkOf(res));
    const isLimited = grant?.allowed === false;
    if (!isLimited && error.status === 401 && isSessionCheck(req) && !credentials.areInHeaders(req, res)) return;
    res.locals.rateLimit = grant;
    throw isLimited ? rateLimited(grant, 'authentication') : error;
  }

  /** @throws 429 for unknown credentials from a client over its limit of failures */
  function requireFewFailures(req: Request, res: Response): void {
    const limiter = failures.failedAuthentication;
    const network = networkOf(res);
    if (!limiter?.isExhausted(network)) return;
    // Accepted by this process before, every one of them.
    if (credentials.find(req, res).every(({ verifier, credential }) => verifier.isKnown(credential))) return;
    const grant = limiter.take(network);
    if (grant instanceof Promise || grant.allowed) return;
    res.locals.rateLimit = grant;
    throw rateLimited(grant, 'authentication');
  }

  return (req, res, next) => {
    // Here, not only at the first change with the cookie: that a proxy hides where the page is must show at once.
    if (req.method === 'POST' && req.path === '/session') requireOwnPage(req, res, true);
    if (isPublic(res.locals.route as Route, req.method)) return next();
    requireFewFailures(req, res);
    res.locals.changesSeen = dependencies.changes.position;
    let verified: Promise<void> | undefined;
    try {
      verified = credentials.verify(req, res);
    } catch (error) {
      return fail(error, req, res).then(() => next());
    }
    if (!verified) return next();
    return verified.then(
      () => next(),
      (error) => fail(error, req, res).then(() => next()),
    );
  };
}

/** The credentials of requests, by the schemes that find and verify them. */
class Credentials {
  readonly #schemes;

  constructor(dependencies: VerifierDependencies, schemes: typeof SCHEMES) {
    this.#schemes = schemes.map(({ name, header, isFallback, createVerifier }) => {
      const verifier = createVerifier(dependencies);
      const headerName = header.toLowerCase();
      const { credentialIn = ({ headers }: Request) => headers[headerName] as string | undefined } = verifier;
      return { name, isFallback, verifier, credentialIn };
    });
  }

  /** Verifies the credentials from the scheme `at` on; a promise only when a verifier returns one. */
  verify(req: Request, res: Response, at = 0, found?: Principal, count = 0): Promise<void> | undefined {
    const { access } = res.locals.route ?? {};
    const schemes = this.#schemes;
    let principal = found;
    let credentials = count;
    for (let next = at; next < schemes.length; next++) {
      const { name, isFallback, verifier, credentialIn } = schemes[next] as (typeof schemes)[number];
      const credential = isFallback && credentials > 0 ? undefined : credentialIn(req, res);
      if (credential === undefined) continue;
      credentials++;
      const verified = verifier.verify(credential, req, res);
      const isAccepted = access !== 'bearer' || name === access;
      if (verified instanceof Promise) {
        const [before, counted] = [principal, credentials];
        return verified.then((later) =>
          this.verify(req, res, next + 1, before ?? (isAccepted ? later : undefined), counted),
        );
      }
      if (isAccepted) principal ??= verified;
    }
    if (!principal) {
      if (isSessionCheck(req)) return undefined;
      throw unauthenticated();
    }
    res.locals.caller = principal;
    return undefined;
  }

  /** Those that `verify` looks at. */
  find(req: Request, res: Response) {
    const found: { verifier: Verifier; credential: string }[] = [];
    for (const { isFallback, verifier, credentialIn } of this.#schemes) {
      const credential = isFallback && found.length > 0 ? undefined : credentialIn(req, res);
      if (credential !== undefined) found.push({ verifier, credential });
    }
    return found;
  }

  areInHeaders(req: Request, res: Response): boolean {
    return this.#schemes.some(({ isFallback, credentialIn }) => !isFallback && credentialIn(req, res) !== undefined);
  }
}

function networkOf({ locals }: Response): string {
  return toNetwork(locals.clientAddress ?? '');
}
