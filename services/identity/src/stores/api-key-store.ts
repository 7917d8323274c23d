import type { IdentityKeys } from '@agent-fleet/access/keys';
import type { ApiKeyRecord } from '@agent-fleet/access/records';
import type { Page } from '@agent-fleet/shared/contract/paging';
import type { RedisReads } from '@agent-fleet/shared/redis/store';
import type { Check, Command, Commit, WritePart } from '../redis/commit.ts';
import type { IdentityContext } from '../redis/context.ts';

/** Of one owner, without those that have expired. */
export const MAX_KEYS = 100;
export const MAX_KEY_LIFE_MS = 366 * 86_400_000;
/**
 * Expired keys stay listed for 30 days, so that people see why a worker has stopped. The hashes of expired, replaced
 * and deleted keys stay as long, so that the gateway can name the key that it refuses. The record says which are valid.
 */
const KEPT_MS = 30 * 86_400_000;
/** Rounds of a list that finds entries whose record is gone. */
const MAX_ROUNDS = 3;

type Owner = Pick<ApiKeyRecord, 'owner_id' | 'owner'>;

/** A key as read: `text` is what Redis has, for the check that it is still the same. */
export interface StoredKey {
  record: ApiKeyRecord;
  text: string;
}

/**
 * API keys by id, by the SHA-256 of their texts, and by owner. Entries in indexes whose record has expired are removed
 * when a list meets them, or when their owner makes a key. The parts of writes name the keys as changed.
 */
export class ApiKeyStore {
  readonly #redis: RedisReads;
  readonly #keys: IdentityKeys;
  readonly #commit: Commit;

  constructor({ redis, keys, commit }: Pick<IdentityContext, 'redis' | 'keys' | 'commit'>) {
    this.#redis = redis;
    this.#keys = keys;
    this.#commit = commit;
  }

  async read(keyId: string): Promise<StoredKey | undefined> {
    const text = await this.#redis.get(this.#keys.apiKey(keyId));
    return text === null ? undefined : { record: JSON.parse(text) as ApiKeyRecord, text };
  }

  /** When each key was last used, in ms. */
  async readUsed(ids: string[]): Promise<(number | null)[]> {
    return (await this.#readTexts(ids, this.#keys.used)).map((text) => (text === null ? null : Number(text)));
  }

  /** The keys of a page, oldest first, and the number of all. */
  async list({ skip, limit }: Page): Promise<{ records: ApiKeyRecord[]; total: number }> {
    const [redis, { apiKeys }] = [this.#redis, this.#keys];
    for (let round = 1; ; round++) {
      const [ids, total] = await Promise.all([
        limit === 0 ? [] : redis.zrange(apiKeys, skip, `${skip + limit - 1}`),
        redis.zcard(apiKeys),
      ]);
      const { records, gone } = await this.#readAll(ids);
      if (gone.length === 0 || round === MAX_ROUNDS) return { records, total };
      await this.#commit([{ commands: [['ZREM', apiKeys, ...gone]] }]);
    }
  }

  /** All keys of an owner, at most `MAX_KEYS`, oldest first. */
  async listOwned(owner: Owner): Promise<ApiKeyRecord[]> {
    const ids = await this.#redis.zrange(this.#ownedBy(owner), 0, '-1');
    return (await this.#readAll(ids.sort())).records;
  }

  /** Forgets the keys of an owner that expired first, as many as another one needs. Returns whether there is room. */
  async makeRoom(owner: Owner, nowMs: number): Promise<boolean> {
    const owned = this.#ownedBy(owner);
    const excess = (await this.#redis.zcard(owned)) - MAX_KEYS + 1;
    if (excess <= 0) return true;
    const ids = await this.#redis.zrangebyscore(owned, '-inf', String(Math.floor(nowMs)), 'LIMIT', 0, excess);
    const removed = (await this.#readAll(ids)).records.flatMap((record) => this.#toRemove(record));
    if (ids.length > 0) await this.#commit([{ commands: [['ZREM', owned, ...ids], ...removed] }]);
    return ids.length === excess;
  }

  /** Fails when the owner has `MAX_KEYS` already. */
  toCreate(record: ApiKeyRecord, nowMs: number): WritePart {
    const owned = this.#ownedBy(record);
    return {
      checks: [['below', owned, MAX_KEYS]],
      commands: [
        ['ZREMRANGEBYSCORE', owned, '-inf', Math.floor(nowMs - KEPT_MS)],
        // No key lives longer: these have no record any more.
        ['ZREMRANGEBYLEX', this.#keys.apiKeys, '-', `(${idPrefixOf(nowMs - MAX_KEY_LIFE_MS - KEPT_MS)}`],
        ...this.#toSet(record),
      ],
      changes: [`key:${record.id}`],
    };
  }

  /** Stores the record of a rotation. `ended`: SHA-256 of the texts that end at once. */
  toReplace(before: StoredKey, record: ApiKeyRecord, ended: string[]): WritePart {
    const { apiKeyHash } = this.#keys;
    const replaced = record.previous.find(({ hash }) => hash === before.record.hash);
    return {
      checks: [this.toKeep(before)],
      commands: [
        ...this.#toSet(record),
        ...(replaced ? [['PEXPIREAT', apiKeyHash(replaced.hash), Date.parse(replaced.until) + KEPT_MS]] : []),
        ...ended.map((digest) => ['PEXPIRE', apiKeyHash(digest), KEPT_MS]),
      ],
      changes: [`key:${record.id}`],
    };
  }

  /** Fails when the key has changed since it was read. */
  toKeep({ record, text }: StoredKey): Check {
    return ['value', this.#keys.apiKey(record.id), text];
  }

  /** Fails when the key has changed since it was read. */
  toDelete(key: StoredKey): WritePart {
    const { record } = key;
    return {
      checks: [this.toKeep(key)],
      commands: this.#toRemove(record),
      changes: [`key:${record.id}`],
    };
  }

  /** Deletes the keys of a user. Fails when one was made, changed or deleted since. */
  async toDeleteOwned(userId: string): Promise<WritePart> {
    const { apiKey, apiKeys, userApiKeys } = this.#keys;
    const owned = userApiKeys(userId);
    const ids = await this.#redis.zrange(owned, 0, '-1');
    const texts = await this.#readTexts(ids, apiKey);
    const records = texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as ApiKeyRecord]));
    const unchanged = ids.map((id, at): Check => ['value', apiKey(id), texts[at] ?? null]);
    return {
      checks: [['below', owned, ids.length + 1], ...unchanged],
      commands: [
        ...records.flatMap((record) => this.#toRemove(record)),
        // Also those that have expired and have no record.
        ...ids.map((id) => ['ZREM', apiKeys, id]),
        ['DEL', owned],
      ],
      changes: ids.map((id) => `key:${id}`),
    };
  }

  /** The index of the keys of an owner, whose scores are the times when they expire in ms. */
  #ownedBy({ owner_id, owner }: Owner): string {
    return this.#keys.userApiKeys(owner_id ?? owner);
  }

  async #readTexts(ids: string[], toKey: (id: string) => string): Promise<(string | null)[]> {
    return ids.length === 0 ? [] : this.#redis.mget(ids.map(toKey));
  }

  /** `gone`: the ids without a record. */
  async #readAll(ids: string[]): Promise<{ records: ApiKeyRecord[]; gone: string[] }> {
    const texts = await this.#readTexts(ids, this.#keys.apiKey);
    return {
      records: texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as ApiKeyRecord])),
      gone: ids.filter((_id, at) => texts[at] === null),
    };
  }

  /** Redis removes the record and the hash 30 days after the key has expired. */
  #toSet(record: ApiKeyRecord): Command[] {
    const keys = this.#keys;
    const expiresMs = Date.parse(record.expires_at);
    return [
      ['SET', keys.apiKey(record.id), JSON.stringify(record), 'PXAT', expiresMs + KEPT_MS],
      ['SET', keys.apiKeyHash(record.hash), record.id, 'PXAT', expiresMs + KEPT_MS],
      ['ZADD', keys.apiKeys, 0, record.id],
      ['ZADD', this.#ownedBy(record), expiresMs, record.id],
    ];
  }

  /** Removes a key, the texts that rotations replaced, and its index entries. */
  #toRemove({ id, hash, previous, ...owner }: ApiKeyRecord): Command[] {
    const keys = this.#keys;
    const digests = [hash, ...previous.map((replaced) => replaced.hash)];
    return [
      ['DEL', keys.apiKey(id), keys.used(id)],
      ...digests.map((digest) => ['PEXPIRE', keys.apiKeyHash(digest), KEPT_MS]),
      ['ZREM', keys.apiKeys, id],
      ['ZREM', this.#ownedBy(owner), id],
    ];
  }
}

/** How ids made at `ms` begin. */
function idPrefixOf(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}
