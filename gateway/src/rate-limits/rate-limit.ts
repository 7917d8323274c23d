import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { RequestHandler, Response } from 'express';
import { toNetwork } from '../client-address.ts';
import { isProbe } from '../probes.ts';
import { isSignIn } from '../routing/routes.ts';
import { WINDOW_MS } from './rate-limit-store.ts';
import type { Grant, RateLimiter } from './rate-limiter.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Counts a request for its principal, or for the network of its client without one; sign-ins have a limit of their own,
 * and probes have none. Runs after authentication. @throws 429 `rate_limited`
 */
export function limitRate(limits: RateLimits): RequestHandler {
  return (req, res, next) => {
    const { route, caller, principal, clientAddress = '' } = res.locals;
    if (isProbe(route)) return next();
    let limiter: RateLimiter | undefined;
    if (isSignIn(route?.template, req.method)) limiter = limits.signIn;
    else limiter = caller ? limits.ofPrincipal(caller.rateLimitPerMinute) : limits.address;
    if (!limiter) return next();
    const grant = limiter.take(principal ?? toNetwork(clientAddress));
    if (grant instanceof Promise) return grant.then((later) => admit(res, later)).then(() => next());
    admit(res, grant);
    next();
  };
}

function admit(res: Response, grant: Grant): void {
  res.locals.rateLimit = grant;
  if (!grant.allowed) throw rateLimited(grant);
}

/** 429 `rate_limited`; the RateLimit headers come from `res.locals.rateLimit`. */
export function rateLimited(grant: Grant): HttpError {
  const retryAfter = Math.max(Math.ceil(grant.nextInMs / 1_000), 1);
  return httpError('rate_limited', `Too many requests; try again in ${retryAfter} s`, {
    headers: { 'retry-after': String(retryAfter) },
  });
}

/** Appends `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4). */
export function pushRateLimitHeaders(headers: string[], { policy: { name, quota }, remaining, fullInMs }: Grant): void {
  headers.push('ratelimit-policy', `"${name}";q=${quota};w=${WINDOW_MS / 1_000}`);
  headers.push('ratelimit', `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`);
}
