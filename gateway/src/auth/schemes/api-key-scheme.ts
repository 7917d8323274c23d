import { isApiKeyText } from '@agent-fleet/access/api-key-text';
import type { EnvironmentKey } from '@agent-fleet/access/environment-keys';
import type { ApiKeyRecord, UserRecord } from '@agent-fleet/access/records';
import { narrow, SCOPE_NAMES, type Scope, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { detailError } from '@agent-fleet/shared/http/errors';
import type { Response } from 'express';
import type { Found } from '../credentials/credential-cache.ts';
import type { Records } from '../records/records.ts';
import { type Principal, toPrincipal } from './principal.ts';
import type { AuthenticationScheme, VerifierDependencies } from './scheme.ts';

const NOTE_EVERY_MS = 30_000;

/** An API key: of `API_KEYS`, or from `POST /api-keys`. Node joins repeated headers with commas: no key has one. */
export const apiKeyScheme: AuthenticationScheme = {
  name: 'apiKey',
  header: 'X-API-Key',
  isFallback: false,
  createVerifier(dependencies) {
    const { environmentKeys } = dependencies;
    const principals = new Map(environmentKeys.list.map((key) => [key.id, toEnvironmentPrincipal(key)]));
    const noteUse = createUseNotes(dependencies.records);
    const cache = dependencies.createCache();
    return {
      verify(text, _req, res) {
        const kept = cache.get(text);
        if (kept) return kept;
        const ofEnvironment = environmentKeys.find(text);
        if (ofEnvironment) {
          noteUse(ofEnvironment.id);
          return principals.get(ofEnvironment.id) as Principal;
        }
        if (!isApiKeyText(text)) throw invalidKey();
        return cache.lookUp(text, () => lookUp(dependencies, text, res)).then(requireKey);
      },
      isKnown: (text) => environmentKeys.isKnown(text) || cache.isKnown(text),
    };
  },
};

async function lookUp(
  { records, audit, environmentKeys }: VerifierDependencies,
  text: string,
  res: Response,
): Promise<Found | undefined> {
  const { digest, id, key, owner, deletedParents } = await records.forApiKey(text);
  if (id === null) return undefined;
  const expiresAtMs = key ? findEnd(key, digest) : 0;
  const ofOwner = key && scopesOfOwner(key, owner, environmentKeys.list);
  if (!key || !ofOwner || deletedParents > 0 || expiresAtMs <= Date.now()) {
    const actor = { type: 'key', id, name: key?.name ?? null } as const;
    audit.record({ actor, action: 'key.refused', target: { type: 'key', id }, outcome: 'failure' }, res);
    return undefined;
  }
  const tags = [id, ...key.parents].map((keyId) => `key:${keyId}`);
  if (key.owner_id !== null) tags.push(`user:${key.owner_id}`);
  return { principal: toKeyPrincipal(key, narrow(key.scopes, ofOwner), tags, expiresAtMs), expiresAtMs };
}

/** What the owner of a key may do now; undefined when it is disabled or gone. */
function scopesOfOwner(
  { owner_id, owner: name }: ApiKeyRecord,
  owner: UserRecord | undefined,
  environmentKeys: readonly EnvironmentKey[],
): readonly Scope[] | undefined {
  if (owner_id !== null) return owner && !owner.disabled ? scopesOf(owner.role) : undefined;
  // Users of external issuers are not known here.
  if (!name.startsWith('key:')) return SCOPE_NAMES;
  const maker = environmentKeys.find((key) => `key:${key.name}` === name);
  return maker && scopesOf(maker.role);
}

/** When this secret of the key expires; 0 for one that was replaced and is no longer valid. */
function findEnd({ hash, expires_at, previous }: ApiKeyRecord, digest: string): number {
  const end = Date.parse(expires_at);
  if (hash === digest) return end;
  const replaced = previous.find((one) => one.hash === digest);
  return replaced ? Math.min(end, Date.parse(replaced.until)) : 0;
}

/** Notes the use of each key of the environment at most once in 30 s. */
function createUseNotes({ noteUse }: Pick<Records, 'noteUse'>): (keyId: string) => void {
  const nextAtMs = new Map<string, number>();
  return (keyId) => {
    const nowMs = performance.now();
    if (nowMs < (nextAtMs.get(keyId) ?? 0)) return;
    nextAtMs.set(keyId, nowMs + NOTE_EVERY_MS);
    noteUse(keyId);
  };
}

function toKeyPrincipal(key: ApiKeyRecord, scopes: readonly Scope[], tags: string[], expiresAtMs: number): Principal {
  const { id, name, agent_ids: agentIds, rate_limit_per_minute: rateLimitPerMinute } = key;
  return toPrincipal({
    actor: { type: 'key', id, name },
    uniqueName: id,
    scopes,
    tags,
    agentIds,
    ownerId: ownerIdOf(key),
    rateLimitPerMinute,
    expiresAtMs,
  });
}

/** The id of the user who owns a key, as in `ACTOR_ID_HEADER` of that user. */
function ownerIdOf({ owner_id, owner }: ApiKeyRecord): string | undefined {
  return owner_id ?? /^oidc:(.+)$/s.exec(owner)?.[1];
}

function toEnvironmentPrincipal({ id, name, role }: EnvironmentKey): Principal {
  return toPrincipal({ actor: { type: 'key', id, name }, uniqueName: name, scopes: scopesOf(role) });
}

function requireKey(principal: Principal | undefined): Principal {
  if (!principal) throw invalidKey();
  return principal;
}

function invalidKey() {
  return detailError(403, 'Invalid API key');
}
