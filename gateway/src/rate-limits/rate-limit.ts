import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { toNetwork } from '../client-address.ts';
import { WINDOW_MS } from './rate-limit-store.ts';
import type { Grant, RateLimiter } from './rate-limiter.ts';
import type { RateLimits } from './rate-limits.ts';

declare global {
  namespace Express {
    interface Locals {
      /** What is left of the limit that the request counted for. */
      rateLimit?: Grant;
    }
  }
}

/** They have to be answered always, and cost nothing. */
const UNLIMITED = new Set(['/health', '/ready']);
const SIGN_IN = '/token';

/**
 * Counts a request for its principal, or for the network of its client where it has none; a sign-in counts for a limit of its own. Goes after
 * authentication. @throws 429 `rate_limited`
 */
export function limitRate(limits: RateLimits): RequestHandler {
  return (_req, res, next) => {
    const { route, principal, clientAddress = '' } = res.locals;
    const template = route?.template ?? '';
    if (UNLIMITED.has(template)) return next();
    let limiter: RateLimiter | undefined;
    if (template === SIGN_IN) limiter = limits.signIn;
    else limiter = principal === undefined ? limits.address : limits.principal;
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

export function rateLimited(grant: Grant): HttpError {
  const retryAfter = Math.max(Math.ceil(grant.nextInMs / 1_000), 1);
  return httpError('rate_limited', `Too many requests; try again in ${retryAfter} s`, {
    headers: { 'retry-after': String(retryAfter), ...toRateLimitHeaders(grant) },
  });
}

/** Sets what is left on an answer of the gateway's own; one that is proxied gets it with its other headers. */
export const tellRateLimit: RequestHandler = (_req: Request, res: Response, next) => {
  const { rateLimit } = res.locals;
  if (rateLimit) res.set(toRateLimitHeaders(rateLimit));
  next();
};

/** The same for an error of a request that was counted. */
export const tellRateLimitErrors: ErrorRequestHandler = (error, _req, res, next) => {
  const { rateLimit } = res.locals;
  if (rateLimit && !res.headersSent) res.set(toRateLimitHeaders(rateLimit));
  next(error);
};

function toRateLimitHeaders(grant: Grant): Record<string, string> {
  return { [POLICY_HEADER]: toPolicyValue(grant), [LIMIT_HEADER]: toLimitValue(grant) };
}

/** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
const POLICY_HEADER = 'ratelimit-policy';
const LIMIT_HEADER = 'ratelimit';

/** For a list of names and values. */
export function pushRateLimit(headers: (string | string[])[], grant: Grant): void {
  headers.push(POLICY_HEADER, toPolicyValue(grant), LIMIT_HEADER, toLimitValue(grant));
}

function toPolicyValue({ policy: { name, quota } }: Grant): string {
  return `"${name}";q=${quota};w=${WINDOW_MS / 1_000}`;
}

function toLimitValue({ policy: { name }, remaining, fullInMs }: Grant): string {
  return `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`;
}
