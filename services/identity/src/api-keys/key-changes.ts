import { createApiKeyText, digestOfSecret } from '@agent-fleet/access/api-key-text';
import { ifMatch, isMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { Request } from 'express';
import { originOf, toEntry } from '../http/origin.ts';
import { retryConflicts } from '../redis/commit.ts';
import { type IdentityContext, redisTime } from '../redis/context.ts';
import { MAX_KEYS, type StoredKey } from '../stores/api-key-store.ts';
import type { StoredUser, UserStore } from '../stores/user-store.ts';
import type { createApiKey, deleteApiKey, rotateApiKey } from './contract.ts';
import { type ApiKey, requestedScopes } from './fields.ts';
import { type KeyParts, type KeyReader, toServed } from './key-reader.ts';
import { type Manager, managerOf, requireNoMore } from './manager.ts';
import { toRecord } from './new-key.ts';
import { rotate } from './rotation.ts';

/** The operations that change API keys. */
export function createKeyChanges(
  { redis, commit, durable }: IdentityContext,
  { apiKeys, users, reader }: KeyParts & { reader: KeyReader },
) {
  /** The key that makes another one; undefined for other principals. @throws 403 when it was deleted a moment ago */
  async function requireParent(manager: Manager): Promise<StoredKey | undefined> {
    const { keyId } = manager;
    if (keyId === undefined || reader.findInEnvironment(manager, keyId)) return undefined;
    const parent = await apiKeys.read(keyId);
    if (parent !== undefined) return parent;
    throw httpError('forbidden', 'The key that makes this one does not exist');
  }

  return {
    async create({ body, req }: Input<typeof createApiKey>): Promise<Reply> {
      const manager = managerOf(req);
      requireNoMore(manager, { scopes: requestedScopes(body), agent_ids: body.agent_ids ?? null });
      const text = createApiKeyText();
      const created = await retryConflicts(async () => {
        const parent = await requireParent(manager);
        const owner = await requireOwner(users, parent ? parent.record.owner_id : manager.ownerId);
        const now = await redisTime(redis);
        const record = toRecord(body, manager, parent?.record, digestOfSecret(text), now);
        if (!(await apiKeys.makeRoom(record, now))) throw tooManyKeys();
        const unchanged = [...(owner ? [users.toKeep(owner)] : []), ...(parent ? [apiKeys.toKeep(parent)] : [])];
        const entry = toEntry(originOf(req), 'key.created', ['key', record.id]);
        await commit([{ checks: unchanged }, apiKeys.toCreate(record, now)], [entry]);
        return toServed(record, owner?.record, null);
      });
      return toNewKey(created, text);
    },

    async delete({ params, req }: Input<typeof deleteApiKey>): Promise<Reply> {
      const manager = managerOf(req);
      const tags = ifMatch(req.headers['if-match']);
      await retryConflicts(async () => {
        const key = await reader.requireStored(manager, params.key_id);
        if (!isMatch(tags, JSON.stringify(await reader.serveOne(key.record)))) throw preconditionFailed();
        await commit([apiKeys.toDelete(key)], [toEntry(originOf(req), 'key.deleted', ['key', key.record.id])]);
      });
      await durable();
      return { status: 204 };
    },

    /** As for a new key: otherwise a token for few scopes would get a key for more. */
    async rotate({ params, body, req }: Input<typeof rotateApiKey>): Promise<Reply> {
      const manager = managerOf(req);
      const text = createApiKeyText();
      const rotated = await retryConflicts(async () => {
        const before = await reader.requireStored(manager, params.key_id);
        const served = await reader.serveOne(before.record);
        // All that it may have again when the role of its owner grows.
        requireNoMore(manager, before.record);
        const now = await redisTime(redis);
        const { record, ended } = rotate(before.record, digestOfSecret(text), body.grace_seconds * 1_000, now);
        const entry = toEntry(originOf(req), 'key.rotated', ['key', record.id]);
        await commit([apiKeys.toReplace(before, record, ended)], [entry]);
        return served;
      });
      if (body.grace_seconds === 0) await durable();
      return toNewKey(rotated, text);
    },

    /** @throws 403 for those who manage no keys */
    requireManager: async (_params: object, req: Request): Promise<void> => void managerOf(req),

    /** @throws 403, 404 or 409 when the caller cannot change the key */
    requireChangeable: async ({ key_id }: { key_id: string }, req: Request): Promise<void> =>
      void (await reader.requireStored(managerOf(req), key_id)),
  };
}

/** The user who makes a key, and who may have been deleted or disabled a moment ago. @throws 403 then */
async function requireOwner(users: UserStore, ownerId: string | null): Promise<StoredUser | undefined> {
  if (ownerId === null) return undefined;
  const owner = await users.read(ownerId);
  if (owner !== undefined && !owner.record.disabled) return owner;
  throw httpError('forbidden', 'The user is disabled or does not exist');
}

/** The entity tag is that of the key as it can be read later. */
function toNewKey(key: ApiKey, text: string): Reply {
  return {
    status: 201,
    json: JSON.stringify({ ...key, key: text }),
    headers: { etag: etagOf(JSON.stringify(key)), location: `/api-keys/${key.id}`, 'cache-control': 'no-store' },
  };
}

function tooManyKeys(): HttpError {
  return httpError('quota_exceeded', `There are ${MAX_KEYS} API keys of this owner already`);
}
