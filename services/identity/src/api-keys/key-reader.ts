import type { EnvironmentKey } from '@agent-fleet/access/environment-keys';
import type { ApiKeyRecord, UserRecord } from '@agent-fleet/access/records';
import { narrow, type Scope, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { detailError, httpError } from '@agent-fleet/shared/http/errors';
import { isId } from '@agent-fleet/shared/ids';
import type { ApiKeyStore, StoredKey } from '../stores/api-key-store.ts';
import type { UserStore } from '../stores/user-store.ts';
import type { ApiKey } from './fields.ts';
import type { Manager } from './manager.ts';

/** What the operations on keys need. */
export interface KeyParts {
  apiKeys: ApiKeyStore;
  users: UserStore;
  /** The keys of `API_KEYS`. */
  environmentKeys: readonly EnvironmentKey[];
}

export type KeyReader = ReturnType<typeof createKeyReader>;

/** Finds keys that a caller may see, and completes them. */
export function createKeyReader({ apiKeys, users, environmentKeys }: KeyParts) {
  /** The key of `API_KEYS` with this id, for those who see the keys of others. */
  function findInEnvironment({ isAdmin }: Manager, keyId: string): EnvironmentKey | undefined {
    return isAdmin ? environmentKeys.find(({ id }) => id === keyId) : undefined;
  }

  /** Adds what the owner's role leaves of the scopes, and when the keys were last used. */
  async function serve(records: readonly ApiKeyRecord[]): Promise<ApiKey[]> {
    const ownerIds = [...new Set(records.flatMap(({ owner_id }) => owner_id ?? []))];
    const [owners, used] = await Promise.all([
      Promise.all(ownerIds.map((id) => users.read(id))),
      apiKeys.readUsed(records.map(({ id }) => id)),
    ]);
    const byId = new Map(ownerIds.map((id, at) => [id, owners[at]?.record]));
    return records.map((record, at) => toServed(record, byId.get(record.owner_id ?? ''), used[at] ?? null));
  }

  return {
    findInEnvironment,
    serve,

    async serveOne(record: ApiKeyRecord): Promise<ApiKey> {
      return (await serve([record]))[0] as ApiKey;
    },

    async serveEnvironment(list: readonly EnvironmentKey[]): Promise<ApiKey[]> {
      const used = await apiKeys.readUsed(list.map(({ id }) => id));
      return list.map((key, at) => toServedEnvironmentKey(key, used[at] ?? null));
    },

    /** @throws 404 also for somebody else's key, 409 for one of `API_KEYS` */
    async requireStored(manager: Manager, keyId: string): Promise<StoredKey> {
      if (findInEnvironment(manager, keyId)) {
        throw httpError('managed_by_environment', 'This key is one of API_KEYS');
      }
      const key = isId(keyId) ? await apiKeys.read(keyId) : undefined;
      if (key === undefined || !isVisible(manager, key.record)) throw detailError(404, 'API key not found');
      return key;
    },
  };
}

function isVisible({ isAdmin, ownerId }: Manager, { owner_id }: ApiKeyRecord): boolean {
  return isAdmin || (ownerId !== null && ownerId === owner_id);
}

/** A key as clients see it. `owner`: the user whose role bounds it, if it belongs to a user. */
export function toServed(record: ApiKeyRecord, owner: UserRecord | undefined, usedMs: number | null): ApiKey {
  const { id, name, agent_ids, created_at, expires_at, rate_limit_per_minute } = record;
  return {
    id,
    name,
    scopes: effectiveScopes(record, owner),
    agent_ids,
    owner: record.owner,
    source: 'api',
    created_at,
    expires_at,
    last_used_at: toTime(usedMs),
    rate_limit_per_minute,
  };
}

function toServedEnvironmentKey({ id, name, role }: EnvironmentKey, usedMs: number | null): ApiKey {
  return {
    id,
    name,
    scopes: [...scopesOf(role)],
    agent_ids: null,
    owner: null,
    source: 'environment',
    created_at: null,
    expires_at: null,
    last_used_at: toTime(usedMs),
    rate_limit_per_minute: null,
  };
}

/** As the gateway enforces it: a key can do nothing once its owner is disabled or deleted. */
function effectiveScopes({ scopes, owner_id }: ApiKeyRecord, owner: UserRecord | undefined): Scope[] {
  if (owner_id === null) return scopes;
  return owner === undefined || owner.disabled ? [] : narrow(scopes, scopesOf(owner.role));
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
