import type { Mutation } from '../mutation.ts';

export const GATEWAY_FAULTS: readonly Mutation[] = [
  {
    name: 'internal headers that a client sends reach the services',
    file: 'gateway/src/proxy/upstream-request.ts',
    find: 'const NOT_FORWARDED_PREFIX = /^(?:proxy|x-fleet|x-forwarded)-/;',
    replace: 'const NOT_FORWARDED_PREFIX = /^(?:proxy|x-forwarded)-/;',
    tests: ['gateway/test/attacks/headers.test.ts'],
  },
  {
    name: 'a credential that is revoked during its look-up is kept',
    file: 'gateway/src/auth/credentials/credential-cache.ts',
    find: 'else if (position === this.#changes.position) this.#keep',
    replace: 'else this.#keep',
    tests: ['gateway/src/auth/credentials/credential-cache.test.ts'],
  },
  {
    name: 'changes of credentials that were missed are not noticed',
    file: 'gateway/src/auth/credentials/change-follower.ts',
    find: 'if (number !== last + 1) {',
    replace: 'if (number <= last) {',
    tests: ['gateway/test/credentials/revocation.test.ts'],
  },
  {
    name: 'the text of a rotated key stays valid after its grace',
    file: 'gateway/src/auth/schemes/api-key-scheme.ts',
    find: 'Math.min(end, Date.parse(replaced.until))',
    replace: 'end',
    tests: ['e2e/identity.test.ts'],
  },
  {
    name: 'principals at one address share one rate limit',
    file: 'gateway/src/rate-limits/rate-limits.ts',
    find: 'limiter.take(caller?.principal ?? toNetwork(clientAddress))',
    replace: 'limiter.take(toNetwork(clientAddress))',
    tests: ['gateway/test/limits/rate-limits.test.ts'],
  },
  {
    name: 'pages of every origin may read responses',
    file: 'gateway/src/cors/cors.ts',
    find: 'return isAllowed(origin) ? origin : undefined;',
    replace: 'return origin;',
    tests: ['gateway/test/cors.test.ts'],
  },
  {
    name: 'a client behind a proxy chooses its own address',
    file: 'gateway/src/client-address.ts',
    find: ".split(',').slice(-MAX_HOPS).reverse()",
    replace: ".split(',').slice(-MAX_HOPS)",
    tests: ['e2e/identity.test.ts'],
  },
  {
    name: 'there may be as many retries as requests',
    file: 'gateway/src/proxy/retry-budget.ts',
    find: 'const PER_REQUEST = 0.1;',
    replace: 'const PER_REQUEST = 1;',
    tests: ['gateway/src/proxy/retry-budget.test.ts'],
  },
  {
    name: 'an event stream goes on after its credential has expired',
    file: 'gateway/src/proxy/exchange.ts',
    find: '    this.#endWithCredential();',
    replace: '',
    tests: ['gateway/test/credentials/revocation.test.ts'],
  },
  {
    name: 'a path with an encoded slash reaches the services',
    file: 'gateway/src/canonical-target.ts',
    find: '(?!2f|5c|',
    replace: '(?!5c|',
    tests: ['e2e/spec.test.ts'],
  },
];
