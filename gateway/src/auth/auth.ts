import type { EnvironmentKeys } from '@agent-fleet/access/environment-keys';
import { createIdentityKeys } from '@agent-fleet/access/keys';
import { createJwks } from '@agent-fleet/access/tokens/signing-key';
import { createTokens } from '@agent-fleet/access/tokens/token';
import type { TokenConfig } from '@agent-fleet/access/tokens/token-config';
import type { Logger } from '@agent-fleet/shared/logger';
import { exposeCounter, exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { OpenStore } from '@agent-fleet/shared/redis/store';
import type { Registry } from 'prom-client';
import { createAuditTrail, recordMissingScopes } from './audit-trail.ts';
import { authenticate, type FailureLimits } from './authenticate.ts';
import { followChanges } from './credentials/change-follower.ts';
import { CredentialCache } from './credentials/credential-cache.ts';
import { provePrimary } from './credentials/primary-proof.ts';
import type { OidcIssuer } from './oidc/issuers-file.ts';
import { createOidcTokens } from './oidc/oidc-tokens.ts';
import { createRecords } from './records/records.ts';

export type Auth = ReturnType<typeof createAuth>;

interface AuthConfig extends TokenConfig {
  redis: Parameters<typeof provePrimary>[0];
  environmentKeys: EnvironmentKeys;
  /** External issuers of tokens, and whether they may have http or private addresses. */
  oidc: { issuers: OidcIssuer[]; allowInsecure: boolean };
}

interface AuthDependencies {
  store: OpenStore;
  registry: Registry;
  limits: FailureLimits;
  logger: Logger;
}

/** Composes authentication. */
export function createAuth(config: AuthConfig, { store, registry, limits, logger }: AuthDependencies) {
  const keys = createIdentityKeys(config.redis.prefix);
  const { signingKey, verificationKey, environmentKeys } = config;
  const changes = followChanges(config.redis, store.reader, logger);
  const primary = provePrimary(config.redis, [store.reader, changes.redis], logger);
  const caches: CredentialCache[] = [];
  const createCache = () => {
    const cache = new CredentialCache(changes, primary.proof);
    caches.push(cache);
    return cache;
  };
  exposeCounter(registry, {
    name: 'gateway_credential_cache_total',
    help: 'Credentials found in the caches of verified ones (hit), or not (miss)',
    labelNames: ['result'],
    read: () =>
      (['hit', 'miss'] as const).map((result) => {
        return [{ result }, caches.reduce((sum, { lookups }) => sum + lookups[result], 0)] as const;
      }),
  });
  exposeGauge(registry, {
    name: 'gateway_revocation_lag_seconds',
    help: 'Age of the newest read of revoked credentials: a later revocation may be unknown here',
    read: () => changes.lagMs() / 1_000,
  });
  const { issuers, allowInsecure } = config.oidc;
  const oidc = issuers.length > 0 ? createOidcTokens(issuers, { allowInsecure, logger }) : undefined;
  const audit = createAuditTrail(store.writes, keys, logger);
  const tokens = createTokens(signingKey, config.tokens, verificationKey);
  const records = createRecords(store, keys);
  return {
    changes,
    authenticate: authenticate({ environmentKeys, tokens, oidc, records, audit, createCache, changes }, limits),
    /** Adds missing scopes to the audit trail. */
    recordMissingScopes: recordMissingScopes(audit),
    /** The public keys that verify tokens. */
    jwks: createJwks(verificationKey ? [signingKey, verificationKey] : [signingKey]),
    async close() {
      await changes.close();
      primary.close();
      await oidc?.close();
    },
  };
}
