import { Counter, type Registry } from 'prom-client';
import type { BearerTokens } from './bearer-tokens.ts';

/** Collected when Prometheus scrapes: a request costs one increment. */
export function countCacheLookups(registry: Registry, { lookups }: Pick<BearerTokens, 'lookups'>): void {
  new Counter({
    name: 'gateway_credential_cache_total',
    help: 'Bearer tokens found in the cache of verified tokens (hit), or not (miss)',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, lookups.hits);
      this.inc({ result: 'miss' }, lookups.misses);
    },
  });
}
