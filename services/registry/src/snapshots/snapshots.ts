import { stat } from 'node:fs/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisAway } from '@agent-fleet/shared/redis';
import type { SkillIndex } from '../skills/skill-index.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { type FetchLimits, fetchSource, type Validators } from '../upstream/fetch-source.ts';
import { parseRegistry } from '../upstream/parse-registry.ts';
import { SHIPPED_SOURCE, type Source } from '../upstream/source.ts';
import type { DiskSnapshotStore } from './disk-snapshot-store.ts';
import type { RedisSnapshotStore } from './redis-snapshot-store.ts';
import { prepare, type Served } from './served.ts';
import { type Check, type Snapshot, snapshotId } from './snapshot.ts';

export interface SnapshotsOptions {
  source: Source;
  redis: RedisSnapshotStore;
  disk: DiskSnapshotStore | undefined;
  limits: FetchLimits;
  logger: Logger;
}

/**
 * The snapshot that this replica serves. It changes at once and as a whole, from one good snapshot of the source to a newer one:
 * fetched by this replica (`refresh`) or by another (`sync`).
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  #served: Served | undefined;
  #check: Check | undefined;
  /** A stored snapshot that this replica cannot read: a later version may have written it. */
  #unreadableId: string | undefined;
  #syncing: Promise<void> | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /** Undefined only when not even the shipped file could be read. */
  get served(): Served | undefined {
    return this.#served;
  }

  /** The last check of the source by any replica. */
  get check(): Check | undefined {
    return this.#check;
  }

  /** The served snapshot when it is one of the configured source, not the shipped file in its place. */
  get own(): Served | undefined {
    return this.#served?.source.key === this.#options.source.key ? this.#served : undefined;
  }

  /** On start: the newest of disk and Redis, which is waited for `redisWaitMs` at most, else the shipped file. */
  async load(redisWaitMs: number, signal: AbortSignal): Promise<void> {
    const { source, redis, disk, logger } = this.#options;
    try {
      const stored = await disk?.read();
      if (stored) await this.#serve(source, stored, parseRegistry(stored.bytes));
    } catch (error) {
      logger.warn({ err: error }, 'the snapshot on disk cannot be read');
    }
    if (await redis.waitUntilReady(redisWaitMs)) await this.sync();
    if ('file' in source.location) await this.refresh(signal);
    if (this.#served === undefined) await this.#serveShipped(signal);
  }

  /** Takes over what other replicas have stored, and stores what they lack. Calls while it runs share one more run. */
  sync(): Promise<void> {
    this.#syncing ??= this.#inTurn(async () => {
      this.#syncing = undefined;
      await this.#exchangeWithRedis();
    }).catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'snapshots cannot be compared with Redis');
    });
    return this.#syncing;
  }

  /**
   * Asks upstream, unless any replica has done so within `minAgeMs`. Whatever fails leaves the snapshot as it is and is told by `check`.
   * Rejects when `signal` aborts.
   */
  async refresh(signal: AbortSignal, minAgeMs = 0): Promise<void> {
    const { source, redis, limits, logger } = this.#options;
    await this.sync();
    if (Date.now() - (this.#check?.at ?? 0) < minAgeMs) return;
    let error: Check['error'] = null;
    try {
      const fetched = await fetchSource(source, this.own?.meta, limits, signal);
      if (fetched.status === 'fetched') await this.#inTurn(() => this.#adopt(fetched.bytes, fetched));
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause;
      error = { code: cause.code, message: cause.message };
      logger.warn({ err: cause, source: source.label }, 'the registry source cannot be used');
    }
    this.#check = { at: Date.now(), error };
    if (!redis.isReady) return;
    await redis.writeCheck(this.#check).catch((cause: unknown) => {
      logger.warn({ err: cause }, 'the check cannot be stored');
    });
  }

  async #adopt(bytes: Buffer, { etag, lastModified }: Validators): Promise<void> {
    const { own } = this;
    const id = snapshotId(bytes);
    if (own?.meta.id === id) {
      if (own.meta.etag === etag && own.meta.lastModified === lastModified) return;
      const served = { ...own, meta: { ...own.meta, etag, lastModified } };
      this.#served = served;
      await this.#store(served);
      return;
    }
    const index = parseRegistry(bytes);
    refuseShrunk(index, own?.index);
    // Later than the one before even if the clocks of the replicas differ.
    const fetchedAt = Math.max(Date.now(), (own?.meta.fetchedAt ?? 0) + 1);
    const snapshot: Snapshot = { meta: { id, fetchedAt, etag, lastModified }, bytes };
    const served = await prepare(this.#options.source, snapshot, index);
    // First of all kept: what a client has seen is there after a kill -9, too.
    await this.#store(served);
    this.#check = { at: Date.now(), error: null };
    this.#put(served);
  }

  async #exchangeWithRedis(): Promise<void> {
    const { source, redis, logger } = this.#options;
    if (!redis.isReady) return;
    const { meta, check } = await redis.readState();
    if (check && check.at > (this.#check?.at ?? 0)) this.#check = check;
    const ownAt = this.own?.meta.fetchedAt ?? 0;
    const storedAt = meta?.fetchedAt ?? 0;
    if (storedAt < ownAt && this.own) await redis.write(this.own.meta, this.own.registry.br.body);
    if (meta === undefined || storedAt <= ownAt || meta.id === this.#unreadableId) return;
    try {
      const stored = await redis.read();
      if (stored === undefined) throw new Error('The stored snapshot is damaged');
      await this.#serve(source, stored, parseRegistry(stored.bytes));
      await this.#storeOnDisk(stored);
    } catch (error) {
      if (isRedisAway(error)) throw error;
      this.#unreadableId = meta.id;
      logger.error({ err: error, snapshot_id: meta.id }, 'the stored snapshot cannot be used');
    }
  }

  async #serve(source: Source, snapshot: Snapshot, index: SkillIndex): Promise<void> {
    this.#put(await prepare(source, snapshot, index));
  }

  #put(served: Served): void {
    this.#served = served;
    const { source, meta, index } = served;
    this.#options.logger.info(
      { source: source.label, snapshot_id: meta.id, skills: index.skills.length },
      'snapshot served',
    );
  }

  async #serveShipped(signal: AbortSignal): Promise<void> {
    const { limits, logger } = this.#options;
    try {
      const fetched = await fetchSource(SHIPPED_SOURCE, undefined, limits, signal);
      if (fetched.status !== 'fetched' || !('file' in SHIPPED_SOURCE.location)) return;
      const { bytes } = fetched;
      const { mtimeMs } = await stat(SHIPPED_SOURCE.location.file);
      const meta = { id: snapshotId(bytes), fetchedAt: Math.floor(mtimeMs), etag: null, lastModified: null };
      await this.#serve(SHIPPED_SOURCE, { meta, bytes }, parseRegistry(bytes));
    } catch (error) {
      logger.error({ err: error }, 'the shipped registry file cannot be read');
    }
  }

  /** What Redis does not get while it is away, `sync` brings later. */
  async #store({ meta, registry }: Served): Promise<void> {
    const { redis, logger } = this.#options;
    await this.#storeOnDisk({ meta, bytes: registry.identity.body });
    if (!redis.isReady) return;
    await redis.write(meta, registry.br.body).catch((error: unknown) => {
      logger.warn({ err: error }, 'the snapshot is not in Redis yet');
    });
  }

  async #storeOnDisk(snapshot: Snapshot): Promise<void> {
    await this.#options.disk?.write(snapshot).catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'the snapshot cannot be written to disk');
    });
  }

  /** One change at a time. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#lastStep.then(step);
    this.#lastStep = result.catch(() => {});
    return result;
  }
}

/** Half an answer of a broken upstream must not wipe out the skills of everyone. */
function refuseShrunk(index: SkillIndex, previous: SkillIndex | undefined): void {
  const [now, before] = [index.skills.length, previous?.skills.length ?? 0];
  if (now === 0 && before === 0) throw new UpstreamError('empty', 'The registry holds no usable skill');
  if (now < before / 2) throw new UpstreamError('shrunk', `The registry holds ${now} skills instead of ${before}`);
}
