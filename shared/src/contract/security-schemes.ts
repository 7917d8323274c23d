import type { Operation, Security } from './operation.ts';
import { ROLES, SCOPES, type Scope } from './scopes.ts';

/** `components.securitySchemes` of every document. Generators make types of their names, which no schema may have. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: 'oauth2',
    description: 'A token from `POST /token`, sent as `Authorization: Bearer …`.',
    flows: {
      password: {
        tokenUrl: '/token',
        refreshUrl: '/token',
        scopes: { ...SCOPES, offline_access: 'Also get a refresh token.' } as Record<string, string>,
      },
    },
    // The scopes of each role.
    'x-roles': ROLES,
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'fleet',
    description: 'The session of a browser, from `POST /session`; over https the cookie is `__Host-fleet`.',
  },
} as const;

/** The field of an operation with its scope; null where valid credentials are enough. */
export const REQUIRED_SCOPE = 'x-required-scope';

/** `security` of an operation in a document. */
export function toSecurity(security: Security, scope: Scope | null): Record<string, string[]>[] {
  if (security === 'public') return [];
  const bearer = { bearer: scope === null ? [] : [scope] };
  return security === 'bearer' ? [bearer] : [bearer, { apiKeyHeader: [] }, { sessionCookie: [] }];
}

/** The scope of an operation as its document has it; undefined for a public one. */
export function requiredScope({ security, scope }: Operation): Scope | null | undefined {
  if (security === 'public') return undefined;
  return scope === 'signed-in' ? null : scope;
}
