import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import { toNetwork } from '@agent-fleet/shared/network';
import type { RedisStore } from '@agent-fleet/shared/redis/store';
import type { RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import { createRateLimitStore, WINDOW_MS } from './rate-limit-store.ts';
import { type Grant, RateLimiter } from './rate-limiter.ts';

declare global {
  namespace Express {
    interface Locals {
      /** State of the limit that the request counted for. */
      rateLimit?: Grant;
    }
  }
}

/** Requests per minute; 0 is no limit. */
export interface Quotas {
  /** For each principal, and each client address without credentials. */
  perMinute: number;
  /** Failed authentications per client address. */
  authPerMinute: number;
  /** Sign-ins per client address. */
  signInPerMinute: number;
}

/** Different quotas of API keys that are kept at once. */
const MAX_KEY_QUOTAS = 1_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Creates the gateway's rate limits; one of 0 is undefined. */
export function createRateLimits(
  { perMinute, authPerMinute, signInPerMinute }: Quotas,
  { redis, prefix, logger, registry }: { redis: RedisStore; prefix: string; logger: Logger; registry: Registry },
) {
  const store = createRateLimitStore(redis, prefix, logger);
  const create = (name: string, quota: number) => (quota === 0 ? undefined : new RateLimiter({ name, quota }, store));
  const limits = {
    principal: create('principal', perMinute),
    address: create('address', perMinute),
    signIn: create('sign-in', signInPerMinute),
    failedAuthentication: create('failed-authentication', authPerMinute),
  };
  const limiters = Object.values(limits).filter((limiter) => limiter !== undefined);
  /** By the limiters that are no longer kept. */
  let refusedToKeys = 0;
  /** Limiters of API keys with a limit of their own, by their quota. */
  const ofKeys = new LRUCache<number, RateLimiter>({
    max: MAX_KEY_QUOTAS,
    dispose(limiter) {
      limiter.close();
      refusedToKeys += limiter.refused;
    },
  });
  exposeCounter(registry, {
    name: 'gateway_rate_limited_total',
    help: 'Requests answered with 429',
    labelNames: ['policy'],
    read: () => [
      ...limiters.map(({ policy, refused }) => [{ policy: policy.name }, refused] as const),
      [
        { policy: 'principal' },
        refusedToKeys + ofKeys.values().reduce((sum, { refused }) => sum + refused, 0),
      ] as const,
    ],
  });
  exposeGauge(registry, {
    name: 'gateway_rate_limit_local',
    help: '1 while Redis is unavailable and each process counts by itself',
    read: () => (store.isLocal ? 1 : 0),
  });
  return {
    ...limits,
    /** The limit of a principal; `perMinute` can only lower it. */
    ofPrincipal(ofKey: number | undefined): RateLimiter | undefined {
      if (ofKey === undefined || (perMinute > 0 && ofKey >= perMinute)) return limits.principal;
      const known = ofKeys.get(ofKey);
      if (known) return known;
      const limiter = new RateLimiter({ name: 'principal', quota: ofKey }, store);
      ofKeys.set(ofKey, limiter);
      return limiter;
    },
    close() {
      ofKeys.clear();
      for (const limiter of limiters) limiter.close();
    },
  };
}

/**
 * Counts a request for its principal, or for the network of its client without one; sign-ins have a limit of their own,
 * and probes have none. Runs after authentication. @throws 429 `rate_limited`
 */
export function limitRate(limits: RateLimits): RequestHandler {
  return (req, res, next) => {
    const { route, caller, clientAddress = '' } = res.locals;
    if (route?.isProbe) return next();
    let limiter: RateLimiter | undefined;
    if (route?.signInMethod === req.method) limiter = limits.signIn;
    else limiter = caller ? limits.ofPrincipal(caller.rateLimitPerMinute) : limits.address;
    if (!limiter) return next();
    const grant = limiter.take(caller?.principal ?? toNetwork(clientAddress));
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
export function rateLimited(grant: Grant, rejectedBy?: string): HttpError {
  const retryAfter = Math.max(Math.ceil(grant.nextInMs / 1_000), 1);
  return httpError('rate_limited', `Too many requests; try again in ${retryAfter} s`, {
    headers: { 'retry-after': String(retryAfter) },
    rejectedBy,
  });
}

/** Appends `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4). */
export function pushRateLimitHeaders(headers: string[], { policy: { name, quota }, remaining, fullInMs }: Grant): void {
  headers.push('ratelimit-policy', `"${name}";q=${quota};w=${WINDOW_MS / 1_000}`);
  headers.push('ratelimit', `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`);
}
