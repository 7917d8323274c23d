import { detailError } from '@agent-fleet/shared/http/errors';
import { toPrincipal } from './principal.ts';
import type { AuthenticationScheme } from './scheme.ts';

/** A key of `API_KEYS`. Node joins repeated headers with commas, which no key contains. */
export const apiKeyScheme: AuthenticationScheme = {
  name: 'apiKey',
  header: 'X-API-Key',
  securityScheme: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  createVerifier: ({ config: { apiKeys } }) => ({
    verify(key) {
      const name = apiKeys.nameOf(key);
      if (name === undefined) throw detailError(403, 'Invalid API key');
      return { principal: toPrincipal('key', name) };
    },
    isKnown: (key) => apiKeys.isKnown(key),
  }),
};
