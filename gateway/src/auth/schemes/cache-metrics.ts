import { Counter, type Registry } from 'prom-client';
import type { BearerTokens } from './bearer-tokens.ts';

/** Read when Prometheus asks: a request pays for a `++` only. */
export function countCacheLookups(registry: Registry, { lookups }: Pick<BearerTokens, 'lookups'>): void {
  new Counter({
    name: 'gateway_credential_cache_total',
    help: 'Bearer tokens that were found among the verified ones, and those that had to be verified',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, lookups.hits);
      this.inc({ result: 'miss' }, lookups.misses);
    },
  });
}
