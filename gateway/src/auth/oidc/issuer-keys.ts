import { isObject, ownValue } from '@agent-fleet/shared/contract/json-object';
import type { Logger } from '@agent-fleet/shared/logger';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import type { FetchJson } from './fetch-json.ts';
import type { OidcIssuer } from './issuers-file.ts';

const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** For discovery and keys together. */
const DEADLINE_MS = 5_000;
/** After a request for an unknown `kid` that did not find it, or failed, until the next one. */
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
 * The keys of an issuer, found by discovery (OpenID Connect Discovery 1.0 section 4). jose caches them, and shares a
 * fetch in flight. Added here: keys are refreshed before they are too old to use, or at once for an unknown `kid`, as
 * the issuer may just have made it, and a fetch that failed or did not find the key is not repeated at once. These
 * times are on the monotonic clock, jose's on the system clock.
 */
export function createIssuerKeys({ name, issuer }: OidcIssuer, fetchJson: FetchJson, logger: Logger): JWTVerifyGetKey {
  const discoveryUrl = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}`;
  let failure: KeysUnavailable | undefined;
  /** Of a refresh, and after a failure of any fetch. */
  let nextFetchAtMs = 0;
  /** After a fetch that did not find a key. */
  let nextSearchAtMs = 0;
  let fetches = 0;

  const keySet = createRemoteJWKSet(new URL(discoveryUrl), {
    timeoutDuration: DEADLINE_MS,
    cooldownDuration: MAX_AGE_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: async (_url, { signal }) => Response.json(await fetchKeys(signal)),
  });

  async function fetchKeys(signal: AbortSignal): Promise<unknown> {
    if (failure && performance.now() < nextFetchAtMs) throw failure;
    try {
      const keys = await discoverKeys(issuer, discoveryUrl, (url) => fetchJson(url, signal));
      if (failure) logger.info({ issuer: name }, 'Keys of an OIDC issuer are available again');
      failure = undefined;
      fetches++;
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

  /** Keys that were fetched for this very token are not fetched again. */
  const findKey: JWTVerifyGetKey = async (header, token) => {
    const before = fetches;
    try {
      await refreshOldKeys();
      return await keySet(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (fetches === before && performance.now() >= nextSearchAtMs) {
        await keySet.reload();
        const found = await keySet(header, token).catch(() => undefined);
        if (found) return found;
      }
      if (fetches > before) nextSearchAtMs = performance.now() + COOLDOWN_MS;
      throw error;
    }
  };

  return async (header, token) => {
    try {
      return await findKey(header, token);
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
