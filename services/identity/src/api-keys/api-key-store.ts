import type { Page } from '@agent-fleet/shared/contract/paging';
import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import type { IdentityContext } from '../redis/context.ts';
import { createApiKeyWrites, MAX_KEYS, type Owner, ownedBy, type StoredKey, toRemove } from './api-key-writes.ts';

/** Rounds of a list that finds entries whose record is gone. */
const MAX_ROUNDS = 3;

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/**
 * API keys by id, by the SHA-256 of their texts, and by owner. Entries in indexes whose record has expired are removed
 * when a list meets them, or when their owner makes a key.
 */
export function createApiKeyStore({ redis, keys, commit }: IdentityContext) {
  async function readAll(ids: string[]): Promise<(ApiKeyRecord | undefined)[]> {
    const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.apiKey));
    return texts.map((text) => (text === null ? undefined : (JSON.parse(text) as ApiKeyRecord)));
  }

  return {
    ...createApiKeyWrites(keys),

    async read(keyId: string): Promise<StoredKey | undefined> {
      const text = await redis.get(keys.apiKey(keyId));
      return text === null ? undefined : { record: JSON.parse(text) as ApiKeyRecord, text };
    },

    /** When each key was last used, in ms. */
    async readUsed(ids: string[]): Promise<(number | null)[]> {
      const texts = ids.length === 0 ? [] : await redis.mget(ids.map(keys.used));
      return texts.map((text) => (text === null ? null : Number(text)));
    },

    /** The keys of a page, oldest first, and the number of all. */
    async list({ skip, limit }: Page): Promise<{ records: ApiKeyRecord[]; total: number }> {
      for (let round = 1; ; round++) {
        const [ids, total] = await Promise.all([
          limit === 0 ? [] : redis.zrange(keys.apiKeys, skip, `${skip + limit - 1}`),
          redis.zcard(keys.apiKeys),
        ]);
        const records = await readAll(ids);
        const gone = ids.filter((_id, at) => records[at] === undefined);
        if (gone.length === 0 || round === MAX_ROUNDS) {
          return { records: records.filter((record) => record !== undefined), total };
        }
        await redis.zrem(keys.apiKeys, ...gone);
      }
    },

    /** All keys of an owner, at most `MAX_KEYS`, oldest first. */
    async listOwned(owner: Owner): Promise<ApiKeyRecord[]> {
      const ids = await redis.zrange(ownedBy(keys, owner), 0, '-1');
      return (await readAll(ids.sort())).filter((record) => record !== undefined);
    },

    /** Forgets the keys of an owner that expired first, as many as another one needs. Returns whether there is room. */
    async makeRoom(owner: Owner, nowMs: number): Promise<boolean> {
      const owned = ownedBy(keys, owner);
      const excess = (await redis.zcard(owned)) - MAX_KEYS + 1;
      if (excess <= 0) return true;
      const ids = await redis.zrangebyscore(owned, '-inf', String(Math.floor(nowMs)), 'LIMIT', 0, excess);
      const expired = (await readAll(ids)).filter((record) => record !== undefined);
      const removed = expired.flatMap((record) => toRemove(keys, record));
      if (ids.length > 0) await commit({ commands: [['ZREM', owned, ...ids], ...removed] });
      return ids.length === excess;
    },
  };
}
