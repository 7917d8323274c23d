import { randomUUID } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { connectRedis, type RedisClient, waitForRedis } from '@agent-fleet/shared/redis/connection';
import { loadScript, type RedisScript } from '@agent-fleet/shared/redis/script';
import { storeOn } from '@agent-fleet/shared/redis/store';
import type { ChainableCommander } from 'ioredis';
import { CHANGE_ENTRIES } from '../changes/change-log.ts';
import { TRENDS } from '../changes/trends.ts';
import { type RegistryKeys, registryKeys } from '../keys.ts';
import { toSharedBytes } from '../memory/arrays.ts';
import {
  CHECK,
  type Check,
  nameOf,
  packJson,
  parseAs,
  SNAPSHOT_META,
  type SnapshotMeta,
  type SnapshotName,
  type StoredSnapshot,
  unpackJson,
} from './snapshot.ts';

const KEEP_SECONDS = 30 * 24 * 3_600;
const KEEP_STAGED_SECONDS = 600;
/** Longer than the default: a snapshot may have many megabytes. */
const COMMAND_TIMEOUT_MS = 20_000;
/** Documents are stored in pieces: ioredis copies data twice, and 25 MB at once blocked requests for 42 ms. */
const PIECE_BYTES = 1_048_576;
/** A replica counts as stopped after this time without announceAlive. */
const REPLICA_GONE_MS = 6_000;

export interface RedisSnapshotStoreOptions {
  redisUrl: string;
  prefix: string;
  /** See `sourcesKey`. */
  sourcesKey: string;
  logger: Logger;
}

/** The state that all replicas share. */
export interface StoredState {
  meta: SnapshotMeta | undefined;
  staged: SnapshotMeta | undefined;
  check: Check | undefined;
}

/** `superseded`: another snapshot is staged, or the stored one is not older. `missing`: no snapshot is staged. */
export type CommitOutcome = 'done' | 'superseded' | 'missing';

/** The shared state of all replicas in Redis: the served snapshot, the staged one and the last check. */
export class RedisSnapshotStore {
  readonly replica = randomUUID();
  readonly #redis: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #keys: RegistryKeys;
  readonly #commit: RedisScript;
  readonly #seeReplicas: RedisScript;

  /** `onChange` is called when any replica has written something, and when Redis is available again. */
  constructor({ redisUrl, prefix, sourcesKey, logger }: RedisSnapshotStoreOptions, onChange: () => void) {
    this.#keys = registryKeys(prefix, sourcesKey);
    this.#redis = connectRedis(redisUrl, logger, { commandTimeout: COMMAND_TIMEOUT_MS });
    const store = storeOn(this.#redis);
    this.#commit = loadScript(store, new URL('./commit-snapshot-2.lua', import.meta.url));
    this.#seeReplicas = loadScript(store, new URL('./live-replicas-1.lua', import.meta.url));
    this.#subscriber = connectRedis(redisUrl, logger, { autoResubscribe: false });
    this.#subscriber.on('message', onChange);
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(this.#keys.changed).then(onChange, (error: unknown) => {
        logger.warn({ err: error }, 'cannot subscribe to snapshot changes, polling instead');
      });
    });
  }

  measureBy({ measure }: RedisMetrics): void {
    measure(this.#redis);
  }

  get isReady(): boolean {
    return this.#redis.status === 'ready';
  }

  /** Waits until Redis responds, at most `timeoutMs`. */
  async waitUntilReady(timeoutMs: number): Promise<boolean> {
    return waitForRedis(this.#redis, timeoutMs).then(
      () => true,
      () => false,
    );
  }

  /** One round trip. */
  async readState(): Promise<StoredState> {
    const [meta, staged, check] = await Promise.all([
      this.#redis.hget(this.#keys.snapshot, 'meta'),
      this.#redis.hget(this.#keys.staged, 'meta'),
      this.#redis.get(this.#keys.check),
    ]);
    return {
      meta: parseAs(SNAPSHOT_META, meta),
      staged: parseAs(SNAPSHOT_META, staged),
      check: parseAs(CHECK, check),
    };
  }

  /**
   * Reads the snapshot or the staged one; undefined when it is not `name` any more. Does not read documents in `known`.
   * @throws Error when the snapshot is stored but a document is missing
   */
  async read(
    which: 'snapshot' | 'staged',
    name: SnapshotName,
    known: ReadonlyMap<string, Uint8Array>,
  ): Promise<StoredSnapshot | undefined> {
    const key = this.#keys[which];
    // In one command, as another snapshot may replace this one. Documents are named by their digest.
    const [json, history, trends] = await this.#redis.hmgetBuffer(key, 'meta', 'history', 'trends');
    const meta = parseAs(SNAPSHOT_META, json?.toString());
    if (!meta || nameOf(meta) !== nameOf(name)) return undefined;
    const wanted = new Set(meta.sources.flatMap(({ documents }) => documents.map(({ digest }) => digest)));
    const documents = new Map<string, Uint8Array>();
    for (const digest of wanted) {
      const packed = known.get(digest) ?? (await this.#readDocument(key, digest));
      if (!packed && (await this.#redis.hget(key, 'meta')) !== json?.toString()) return undefined;
      if (!packed) throw new Error('The stored snapshot lacks a document');
      documents.set(digest, packed);
    }
    return {
      meta,
      documents,
      history: await unpackJson(CHANGE_ENTRIES, history),
      trends: await unpackJson(TRENDS, trends),
    };
  }

  /** Stages a snapshot, so that all replicas prepare it. Atomic. */
  async stage(snapshot: StoredSnapshot): Promise<void> {
    const draft = await this.#writeDraft(snapshot);
    const staging = this.#redis.multi().rename(draft, this.#keys.staged);
    await execute(staging.publish(this.#keys.changed, 'staged'));
  }

  /** Makes all replicas switch to the staged snapshot. */
  commit(name: SnapshotName): Promise<CommitOutcome> {
    return this.#commitFrom(this.#keys.staged, name);
  }

  /**
   * Restores a snapshot that Redis has lost. False when the stored one is not older: it stays, even if only a later
   * version can read it.
   * @throws Error when Redis has lost it again in the meantime
   */
  async restore(snapshot: StoredSnapshot): Promise<boolean> {
    const draft = await this.#writeDraft(snapshot);
    const outcome = await this.#commitFrom(draft, snapshot.meta);
    if (outcome !== 'done') await this.#redis.del(draft);
    if (outcome === 'missing') throw new Error('Redis has lost the snapshot again');
    return outcome === 'done';
  }

  async #commitFrom(key: string, { id, at }: SnapshotName): Promise<CommitOutcome> {
    const keys = [key, this.#keys.snapshot];
    const reply = await this.#commit(keys, [id, at, KEEP_SECONDS, this.#keys.changed]);
    if (reply === 1) return 'done';
    return reply === 0 ? 'superseded' : 'missing';
  }

  /** Writes to a key that no replica reads. */
  async #writeDraft({ meta, documents, history, trends }: StoredSnapshot): Promise<string> {
    const draft = this.#keys.draft(this.replica);
    const packed = ['history', await packJson(history), 'trends', await packJson(trends)];
    const fields = ['meta', JSON.stringify(meta), ...packed];
    const beginning = this.#redis
      .multi()
      .del(draft)
      .hset(draft, ...fields);
    await execute(beginning.expire(draft, KEEP_STAGED_SECONDS));
    for (const [digest, packed] of documents) await this.#writeDocument(draft, digest, packed);
    return draft;
  }

  /** The last piece is shorter than the others, and may be empty. */
  async #writeDocument(key: string, digest: string, { buffer, byteOffset, length }: Uint8Array): Promise<void> {
    for (let start = 0, piece = 0; start <= length; start += PIECE_BYTES, piece++) {
      const bytes = Buffer.from(buffer, byteOffset + start, Math.min(PIECE_BYTES, length - start));
      // If Redis has evicted or expired the key, this creates a new one, which needs its own expiry.
      const written = this.#redis.hset(key, toField(digest, piece), bytes);
      await Promise.all([written, this.#redis.expire(key, KEEP_STAGED_SECONDS)]);
    }
  }

  /** Undefined when a piece is missing. */
  async #readDocument(key: string, digest: string): Promise<Uint8Array | undefined> {
    const pieces: Buffer[] = [];
    do {
      const bytes = await this.#redis.hgetBuffer(key, toField(digest, pieces.length));
      if (bytes === null) return undefined;
      pieces.push(bytes);
    } while (pieces.at(-1)?.length === PIECE_BYTES);
    return toSharedBytes(pieces);
  }

  /** Announces that this replica can switch to a staged snapshot at once. */
  async announceReady(name: SnapshotName): Promise<void> {
    const key = this.#keys.ready(nameOf(name));
    await Promise.all([this.#redis.sadd(key, this.replica), this.#redis.expire(key, KEEP_STAGED_SECONDS)]);
  }

  /** Announces that this replica is alive; call it about every 2 s. */
  async announceAlive(): Promise<void> {
    await this.#seeReplicas([this.#keys.replicas], [this.replica, REPLICA_GONE_MS]);
  }

  /** Counts the live replicas that cannot switch to a staged snapshot yet. */
  async countUnready(name: SnapshotName): Promise<number> {
    const [alive, ready] = await Promise.all([
      this.#seeReplicas([this.#keys.replicas], ['', REPLICA_GONE_MS]) as Promise<string[]>,
      this.#redis.smembers(this.#keys.ready(nameOf(name))),
    ]);
    return alive.filter((replica) => !ready.includes(replica)).length;
  }

  /** The UUID of this installation. The first one that is proposed stays. */
  async agreeOnInstallation(proposed: string): Promise<string> {
    const key = this.#keys.installation;
    await this.#redis.set(key, proposed, 'NX');
    return (await this.#redis.get(key)) ?? proposed;
  }

  async writeCheck(check: Check): Promise<void> {
    const key = this.#keys.check;
    await Promise.all([
      this.#redis.set(key, JSON.stringify(check), 'EX', KEEP_SECONDS),
      this.#redis.expire(this.#keys.snapshot, KEEP_SECONDS),
      this.#redis.publish(this.#keys.changed, 'check'),
    ]);
  }

  close(): void {
    this.#subscriber.disconnect();
    this.#redis.disconnect();
  }
}

/** `exec` does not reject when a command fails: the reply contains the errors. @throws the first error */
async function execute(transaction: ChainableCommander): Promise<void> {
  for (const [error] of (await transaction.exec()) ?? []) if (error) throw error;
}

function toField(digest: string, piece: number): string {
  return `d:${digest}:${piece}`;
}
