import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import { KEPT_MS } from '../api-keys/api-key-writes.ts';
import type { Check } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { UserPart } from './user-store.ts';

/** Deletes the API keys of a user. Fails when one was made, changed or deleted since. */
export async function toDeleteOwnedKeys({ redis, keys }: IdentityContext, userId: string): Promise<UserPart> {
  const owned = keys.userApiKeys(userId);
  const ids = await redis.zrange(owned, 0, '-1');
  const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.apiKey));
  const commands = ids.flatMap((id, at) => {
    const text = texts[at] ?? null;
    const digests = text === null ? [] : digestsOf(JSON.parse(text) as ApiKeyRecord);
    return [
      ['DEL', keys.apiKey(id), keys.used(id)],
      // As when a single key is deleted.
      ...digests.map((digest) => ['PEXPIRE', keys.apiKeyHash(digest), KEPT_MS]),
      ['ZREM', keys.apiKeys, id],
    ];
  });
  return {
    checks: [
      ['below', owned, ids.length + 1],
      ...ids.map((id, at): Check => ['value', keys.apiKey(id), texts[at] ?? null]),
    ],
    commands: [...commands, ['DEL', owned]],
    changes: ids.map((id) => `key:${id}`),
  };
}

function digestsOf({ hash, previous }: ApiKeyRecord): string[] {
  return [hash, ...previous.map((replaced) => replaced.hash)];
}
