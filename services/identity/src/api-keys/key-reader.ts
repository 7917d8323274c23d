import { detailError, httpError } from '@agent-fleet/shared/http/errors';
import type { EnvironmentKey } from '@agent-fleet/shared/identity/environment-keys';
import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import { isId } from '../ids.ts';
import type { UserStore } from '../users/user-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { StoredKey } from './api-key-writes.ts';
import type { ApiKey } from './fields.ts';
import type { Manager } from './manager.ts';
import { toServed, toServedEnvironmentKey } from './served-key.ts';

export type KeyReader = ReturnType<typeof createKeyReader>;

/** Finds keys that a caller may see, and completes them. `environment`: the keys of `API_KEYS`. */
export function createKeyReader(
  store: ApiKeyStore,
  users: Pick<UserStore, 'read'>,
  environment: readonly EnvironmentKey[],
) {
  /** The key of `API_KEYS` with this id, for those who see the keys of others. */
  function findInEnvironment({ isAdmin }: Manager, keyId: string): EnvironmentKey | undefined {
    return isAdmin ? environment.find(({ id }) => id === keyId) : undefined;
  }

  /** Adds what the owner's role leaves of the scopes, and when the keys were last used. */
  async function serve(records: readonly ApiKeyRecord[]): Promise<ApiKey[]> {
    const ownerIds = [...new Set(records.flatMap(({ owner_id }) => owner_id ?? []))];
    const [owners, used] = await Promise.all([
      Promise.all(ownerIds.map(users.read)),
      store.readUsed(records.map(({ id }) => id)),
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
      const used = await store.readUsed(list.map(({ id }) => id));
      return list.map((key, at) => toServedEnvironmentKey(key, used[at] ?? null));
    },

    /** @throws 404 also for somebody else's key, 409 for one of `API_KEYS` */
    async requireStored(manager: Manager, keyId: string): Promise<StoredKey> {
      if (findInEnvironment(manager, keyId)) {
        throw httpError('managed_by_environment', 'This key is one of API_KEYS');
      }
      const key = isId(keyId) ? await store.read(keyId) : undefined;
      if (key === undefined || !isVisible(manager, key.record)) throw detailError(404, 'API key not found');
      return key;
    },
  };
}

function isVisible({ isAdmin, ownerId }: Manager, { owner_id }: ApiKeyRecord): boolean {
  return isAdmin || (ownerId !== null && ownerId === owner_id);
}
