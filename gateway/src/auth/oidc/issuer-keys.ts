import { isObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import type { Logger } from '@agent-fleet/shared/logger';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import type { FetchJson } from './fetch-json.ts';
import type { OidcIssuer } from './issuers-file.ts';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** For discovery and keys together. */
const DEADLINE_MS = 5_000;
/** Between requests for an unknown `kid`. */
const COOLDOWN_MS = 30_000;
/** After a failure while there are no keys to use: the issuer's tokens are refused until it succeeds. */
const RETRY_MS = 5_000;
/** Age at which keys are fetched again, so that one that the issuer has withdrawn is no longer accepted. */
const REFRESH_MS = 600_000;
/** Age until which keys are used while the issuer is unavailable. */
const MAX_AGE_MS = 86_400_000;
const MAX_KEYS = 100;

/** The issuer's keys were never fetched, or are too old, and fetching them fails. */
export class KeysUnavailable extends Error {
  override name = 'KeysUnavailable';
}

/**
 * The keys of an issuer, found by discovery (OpenID Connect Discovery 1.0 section 4). jose caches them, fetches them
 * again for an unknown `kid`, and shares a fetch in flight. Added here: keys are refreshed before they are too old to
 * use, and a failed fetch is not repeated at once. These times are on the monotonic clock, jose's on the system clock.
 */
export function createIssuerKeys({ name, issuer }: OidcIssuer, fetchJson: FetchJson, logger: Logger): JWTVerifyGetKey {
  const discoveryUrl = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}`;
  let failure: KeysUnavailable | undefined;
  /** Of a refresh, and after a failure of any fetch. */
  let nextFetchAtMs = 0;

  const keySet = createRemoteJWKSet(new URL(discoveryUrl), {
    timeoutDuration: DEADLINE_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: async (_url, { signal }) => Response.json(await fetchKeys(signal)),
  });

  async function fetchKeys(signal: AbortSignal): Promise<unknown> {
    if (failure && performance.now() < nextFetchAtMs) throw failure;
    try {
      const keys = await discoverKeys(issuer, discoveryUrl, (url) => fetchJson(url, signal));
      if (failure) logger.info({ issuer: name }, 'Keys of an OIDC issuer are available again');
      failure = undefined;
      nextFetchAtMs = performance.now() + REFRESH_MS;
      return keys;
    } catch (error) {
      if (!failure) logger.warn({ issuer: name, err: error }, 'Failed to fetch the keys of an OIDC issuer');
      failure = new KeysUnavailable(`no keys of OIDC issuer ${name}`, { cause: error });
      nextFetchAtMs = performance.now() + (keySet.fresh ? COOLDOWN_MS : RETRY_MS);
      throw failure;
    }
  }

  /** During an outage it does not wait: only the first request that finds the keys old does. */
  async function refreshOldKeys(): Promise<void> {
    if (!keySet.fresh || performance.now() < nextFetchAtMs) return;
    const wasUnavailable = failure !== undefined;
    const refreshed = keySet.reload().catch(() => {});
    if (!wasUnavailable) await refreshed;
  }

  return async (header, token) => {
    await refreshOldKeys();
    try {
      return await keySet(header, token);
    } catch (error) {
      const isUnknown = error instanceof KeysUnavailable && keySet.fresh;
      throw isUnknown ? new Error('not one of the known keys', { cause: error }) : error;
    }
  };
}

/** @throws Error unless the discovery document is the issuer's own and leads to a JWK Set of at most 100 keys */
async function discoverKeys(issuer: string, discoveryUrl: string, fetchJson: (url: string) => Promise<unknown>) {
  const document = await fetchJson(discoveryUrl);
  const jwksUri = ownValue(document, 'jwks_uri');
  if (ownValue(document, 'issuer') !== issuer) throw new Error('the discovery document names another issuer');
  if (typeof jwksUri !== 'string') throw new Error('the discovery document has no jwks_uri');
  const keySet = await fetchJson(jwksUri);
  const keys = ownValue(keySet, 'keys');
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error('not a JWK Set');
  if (keys.length > MAX_KEYS) throw new Error(`the JWK Set has more than ${MAX_KEYS} keys`);
  return { keys };
}
