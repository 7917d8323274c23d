import { parseCompactJws } from '@agent-fleet/access/tokens/compact-jws';
import type { JsonObject } from '@agent-fleet/shared/contract/json-object';
import { unavailable } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import { jwtVerify } from 'jose';
import { createJsonFetcher } from './fetch-json.ts';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import type { OidcIssuer } from './issuers-file.ts';
import { LEEWAY_SECONDS, type OidcIdentity, toIdentity } from './oidc-identity.ts';

/** RFC 9068 section 2.1 and RFC 7519 section 5.1; compared without case. An `id_token+jwt` is not for us. */
const TYPES = new Set<unknown>([undefined, 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt']);
const RETRY_AFTER_SECONDS = 5;

interface OidcOptions {
  /** Permits http and private addresses. */
  allowInsecure: boolean;
  logger: Logger;
}

export type OidcTokens = ReturnType<typeof createOidcTokens>;

/** Verifies access tokens (JWT) of external issuers. Nothing is fetched before an issuer's first token. */
export function createOidcTokens(issuers: readonly OidcIssuer[], { allowInsecure, logger }: OidcOptions) {
  const { fetchJson, close } = createJsonFetcher({ allowInsecure });
  const known = new Map(
    issuers.map((issuer) => [issuer.issuer, { issuer, keyOf: createIssuerKeys(issuer, fetchJson, logger) }]),
  );
  return {
    /** The configured issuer that an unverified token names in `iss`; undefined when it is none of them. */
    issuerOf: (unverifiedIss: string): OidcIssuer | undefined => known.get(unverifiedIss)?.issuer,

    /** Undefined for an invalid token, for any reason. @throws 503 while the issuer's keys are unavailable */
    async verify(token: string, { issuer: url }: OidcIssuer): Promise<OidcIdentity | undefined> {
      const entry = known.get(url);
      if (!entry) return undefined;
      const { issuer, keyOf } = entry;
      try {
        const { header, readClaims } = parseCompactJws(token);
        if (!isAccessToken(header)) return undefined;
        const { audience, algorithms } = issuer;
        await jwtVerify(token, keyOf, { issuer: url, audience, algorithms, clockTolerance: LEEWAY_SECONDS });
        return toIdentity(issuer, readClaims());
      } catch (error) {
        if (!(error instanceof KeysUnavailable)) return undefined;
        throw unavailable(
          `The keys of issuer ${issuer.name} are unavailable`,
          RETRY_AFTER_SECONDS,
          error,
          'authentication',
        );
      }
    },

    close,
  };
}

/** `crit` (RFC 7515 section 4.1.11) changes how a token is read. */
function isAccessToken(header: JsonObject): boolean {
  const { typ } = header;
  return !Object.hasOwn(header, 'crit') && TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ);
}
