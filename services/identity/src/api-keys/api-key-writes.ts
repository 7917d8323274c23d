import type { IdentityKeys } from '@agent-fleet/shared/identity/keys';
import type { ApiKeyRecord } from '@agent-fleet/shared/identity/records';
import type { Write } from '../redis/commit.ts';
import { MAX_LIFE_MS } from './new-key.ts';

/** Of one owner, without those that have expired. */
export const MAX_KEYS = 100;
/**
 * Expired keys stay listed for 30 days, so that people see why a worker has stopped. The hashes of expired, replaced
 * and deleted keys stay as long, so that the gateway can name the key that it refuses. The record says which are valid.
 */
const KEPT_MS = 30 * 86_400_000;

export type Owner = Pick<ApiKeyRecord, 'owner_id' | 'owner'>;

/** A key as read: `text` is what Redis has, for the check that it is still the same. */
export interface StoredKey {
  record: ApiKeyRecord;
  text: string;
}

/** A part of a write: its changes name the key. */
type KeyPart = Required<Omit<Write, 'audit'>>;

/** The index of the keys of an owner, whose scores are the times when they expire in ms. */
export function ownedBy(keys: IdentityKeys, { owner_id, owner }: Owner): string {
  return keys.userApiKeys(owner_id ?? owner);
}

/** Removes a key, the texts that rotations replaced, and its index entries. */
export function toRemove(keys: IdentityKeys, { id, hash, previous, ...owner }: ApiKeyRecord): Write['commands'] {
  const digests = [hash, ...previous.map((replaced) => replaced.hash)];
  return [
    ['DEL', keys.apiKey(id), keys.used(id)],
    ...digests.map((digest) => ['PEXPIRE', keys.apiKeyHash(digest), KEPT_MS]),
    ['ZREM', keys.apiKeys, id],
    ['ZREM', ownedBy(keys, owner), id],
  ];
}

/** The parts of writes that create, replace and delete keys, for `commit`. */
export function createApiKeyWrites(keys: IdentityKeys) {
  /** Redis removes the record and the hash 30 days after the key has expired. */
  function toSet(record: ApiKeyRecord): Write['commands'] {
    const expiresMs = Date.parse(record.expires_at);
    return [
      ['SET', keys.apiKey(record.id), JSON.stringify(record), 'PXAT', expiresMs + KEPT_MS],
      ['SET', keys.apiKeyHash(record.hash), record.id, 'PXAT', expiresMs + KEPT_MS],
      ['ZADD', keys.apiKeys, 0, record.id],
      ['ZADD', ownedBy(keys, record), expiresMs, record.id],
    ];
  }

  return {
    /** Fails when the owner has `MAX_KEYS` already. */
    toCreate(record: ApiKeyRecord, nowMs: number): KeyPart {
      const owned = ownedBy(keys, record);
      return {
        checks: [['below', owned, MAX_KEYS]],
        commands: [
          ['ZREMRANGEBYSCORE', owned, '-inf', Math.floor(nowMs - KEPT_MS)],
          // No key lives longer: these have no record any more.
          ['ZREMRANGEBYLEX', keys.apiKeys, '-', `(${idPrefixOf(nowMs - MAX_LIFE_MS - KEPT_MS)}`],
          ...toSet(record),
        ],
        changes: [`key:${record.id}`],
      };
    },

    /** Stores the record of a rotation. `ended`: SHA-256 of the texts that end at once. */
    toReplace(before: StoredKey, record: ApiKeyRecord, ended: string[]): KeyPart {
      const replaced = record.previous.find(({ hash }) => hash === before.record.hash);
      return {
        checks: [['value', keys.apiKey(record.id), before.text]],
        commands: [
          ...toSet(record),
          ...(replaced ? [['PEXPIREAT', keys.apiKeyHash(replaced.hash), Date.parse(replaced.until) + KEPT_MS]] : []),
          ...ended.map((digest) => ['PEXPIRE', keys.apiKeyHash(digest), KEPT_MS]),
        ],
        changes: [`key:${record.id}`],
      };
    },

    /** Fails when the key has changed since it was read. */
    toDelete({ record, text }: StoredKey): KeyPart {
      return {
        checks: [['value', keys.apiKey(record.id), text]],
        commands: toRemove(keys, record),
        changes: [`key:${record.id}`],
      };
    },
  };
}

/** How ids made at `ms` begin. */
function idPrefixOf(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`;
}
