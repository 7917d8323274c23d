import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import { toRemove } from '../api-keys/api-key-writes.ts';
import type { Check } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { UserPart } from './user-store.ts';

/** Deletes the API keys of a user. Fails when one was made, changed or deleted since. */
export async function toDeleteOwnedKeys({ redis, keys }: IdentityContext, userId: string): Promise<UserPart> {
  const owned = keys.userApiKeys(userId);
  const ids = await redis.zrange(owned, 0, '-1');
  const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.apiKey));
  const records = texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as ApiKeyRecord]));
  return {
    checks: [
      ['below', owned, ids.length + 1],
      ...ids.map((id, at): Check => ['value', keys.apiKey(id), texts[at] ?? null]),
    ],
    commands: [
      ...records.flatMap((record) => toRemove(keys, record)),
      // Also those that have expired and have no record.
      ...ids.map((id) => ['ZREM', keys.apiKeys, id]),
      ['DEL', owned],
    ],
    changes: ids.map((id) => `key:${id}`),
  };
}
