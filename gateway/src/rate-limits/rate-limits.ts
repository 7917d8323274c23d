import type { Logger } from '@agent-fleet/shared/logger';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { LRUCache } from 'lru-cache';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.ts';
import { createRateLimitStore } from './rate-limit-store.ts';
import { RateLimiter } from './rate-limiter.ts';

/** Different quotas of API keys that are kept at once. */
const MAX_KEY_QUOTAS = 1_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Creates the gateway's rate limits; one of 0 is undefined. */
export function createRateLimits(
  { perMinute, authPerMinute, signInPerMinute }: GatewayConfig['rateLimits'],
  { redis, prefix, logger, registry }: { redis: RedisClient; prefix: string; logger: Logger; registry: Registry },
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
