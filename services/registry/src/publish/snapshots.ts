import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Builder } from '../build/builder.ts';
import type { Served } from '../serve/served.ts';
import type { UpstreamErrorCode } from '../source/errors.ts';
import type { Source } from '../source/source.ts';
import type { DiskSnapshotStore } from '../store/disk-snapshot-store.ts';
import type { RedisSnapshotStore } from '../store/redis-snapshot-store.ts';
import { type Check, nameOf, type SnapshotMeta } from '../store/snapshot.ts';
import { Backoff } from './backoff.ts';
import { buildShipped, buildStored } from './build-served.ts';
import { buildNext, createRefusals, type NextSnapshot } from './next-snapshot.ts';
import {
  type CheckOptions,
  checkSource,
  dueSources,
  type Known,
  knownFiles,
  noteOutcomes,
  waitUntilDue,
  withoutFuture,
} from './source-checks.ts';
import { switchTogether } from './switch-together.ts';

/** An unreadable snapshot is tried again after this time. */
const RETRY_UNREADABLE_MS = 60_000;
/** Maximum number of sources that are fetched at the same time. */
const MAX_AT_ONCE = 16;

export interface SnapshotsOptions extends CheckOptions {
  sources: readonly Source[];
  redis: RedisSnapshotStore;
  disk: DiskSnapshotStore | undefined;
  builder: Builder;
  /** Digests of files that an operator accepts although they would be refused. */
  accepted: ReadonlySet<string>;
}

/**
 * The snapshot that this replica serves. A newer one replaces it atomically, built from files that this replica fetched
 * (`refresh`) or that another one stored (`sync`). All replicas first prepare a new snapshot, then switch together.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #refused = createRefusals();
  /** Snapshots that could not be read: a later version wrote them, documents are missing, or memory was short. */
  readonly #unreadable = new LRUCache<string, true>({ max: 2, ttl: RETRY_UNREADABLE_MS });
  readonly #restoring = new Backoff();
  #served: Served | undefined;
  /** Prepared; served once all replicas have prepared it. */
  #prepared: Served | undefined;
  #check: Check | undefined;
  #syncing: Promise<void> | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  readonly #servedListeners: ((served: Served) => void)[] = [];
  readonly #checkedListeners: ((outcome: UpstreamErrorCode | 'ok') => void)[] = [];

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.now();
  }

  get sources(): readonly Source[] {
    return this.#options.sources;
  }

  /** Undefined only when not even the shipped file could be read. */
  get served(): Served | undefined {
    return this.#served;
  }

  /** The last check of the sources by any replica, without entries from the future. */
  get check(): Check | undefined {
    return withoutFuture(this.#check, this.now());
  }

  /** The served snapshot, unless it is the shipped file in place of the configured sources. */
  get own(): Served | undefined {
    const keys = this.sources.map(({ key }) => key);
    return this.#served?.meta.sources.some(({ key }) => keys.includes(key)) ? this.#served : undefined;
  }

  /** Calls back with the served snapshot and with each one served later. */
  onServed(listener: (served: Served) => void): void {
    this.#servedListeners.push(listener);
    if (this.#served) listener(this.#served);
  }

  /** Calls back with the outcome of each check of a source by this replica. */
  onChecked(listener: (outcome: UpstreamErrorCode | 'ok') => void): void {
    this.#checkedListeners.push(listener);
  }

  /** At start, serves the newer snapshot of disk and Redis, else the other one, else the shipped file. */
  async load(redisWaitMs: number): Promise<void> {
    const { redis, sources, disk } = this.#options;
    const state = (await redis.waitUntilReady(redisWaitMs))
      ? await redis.readState().catch(() => undefined)
      : undefined;
    const onDisk = await disk?.readMeta();
    const isNewest = onDisk !== undefined && onDisk.at >= (state?.meta?.at ?? 0);
    if (isNewest) await this.#serveFromDisk();
    await this.sync();
    // The snapshot in Redis may be incomplete.
    if (!isNewest && !this.own) await this.#serveFromDisk();
    if (sources.every(({ location }) => 'file' in location)) await this.refresh();
    if (this.#served !== undefined) return;
    const shipped = await buildShipped(this.#options);
    // A snapshot that another replica has stored in the meantime is better.
    if (shipped && this.#served === undefined) this.#put(shipped);
  }

  /** Exchanges snapshots with Redis in both directions. Calls made before the next run starts share it. */
  sync(): Promise<void> {
    this.#syncing ??= this.#inTurn(async () => {
      this.#syncing = undefined;
      await this.#exchangeWithRedis();
    }).catch((error: unknown) => {
      const { signal, logger } = this.#options;
      if (!signal.aborted) logger.warn({ err: error }, 'failed to synchronize snapshots with Redis');
    });
    return this.#syncing;
  }

  /**
   * Checks the sources that are due now or within `patienceMs`, unless any replica did so within `minAgeMs`. A failure
   * keeps the snapshot and is recorded in `check`. Rejects when the service stops.
   */
  async refresh(minAgeMs = 0, patienceMs = 0): Promise<void> {
    const { sources, redis, logger, signal } = this.#options;
    await this.sync();
    // Is it due? The freshness lifetime of a source is often exactly one refresh interval.
    if (this.now() - (this.check?.at ?? 0) < minAgeMs) return;
    await sleep(waitUntilDue(sources, this.#known, this.now(), patienceMs), undefined, { signal });
    const due = dueSources(sources, this.#known, this.now());
    if (due.length === 0) return;
    // Fetch.
    const { own, check } = this;
    const fetchOne = (source: Source) => checkSource(source, knownFiles(source.key, own, check), this.#options);
    const outcomes = await pLimit(MAX_AT_ONCE).map(due, fetchOne);
    await this.#inTurn(async () => {
      // Build, from the snapshot that is served by now.
      const installation = await this.#findInstallation();
      const next = await buildNext({
        ...this.#options,
        own: this.own,
        outcomes,
        installation,
        refused: this.#refused,
      });
      // Switch. On disk first, so that a snapshot that clients have seen survives kill -9.
      if (next.served) {
        await this.#options.disk?.write(next.served);
        this.#prepared = next.served;
        if (await switchTogether(next.served, redis, signal, logger)) this.#put(next.served);
      }
      this.#note(next);
    });
    if (!redis.isReady || !this.#check) return;
    await redis.writeCheck(this.#check).catch((error: unknown) => {
      logger.warn({ err: error }, 'failed to store the result of the check');
    });
  }

  get #known(): Known {
    const served = new Map(this.own?.meta.sources.map(({ key, digest }) => [key, digest]));
    return { check: this.check, served };
  }

  #note({ outcomes, refusals, newRefusals }: NextSnapshot): void {
    for (const { digest, code, message } of newRefusals) {
      const { logger } = this.#options;
      logger.error({ snapshot_id: digest, code, reason: message }, 'refused a new snapshot and kept the old one');
    }
    const check = noteOutcomes(this.check, outcomes, refusals, this.now());
    this.#check = check;
    for (const { source } of outcomes) {
      for (const listener of this.#checkedListeners) listener(check.sources[source.key]?.error?.code ?? 'ok');
    }
  }

  async #findInstallation(): Promise<string> {
    const { redis, logger } = this.#options;
    const known = this.own?.meta.installation ?? randomUUID();
    if (!redis.isReady) return known;
    return redis.agreeOnInstallation(known).catch((error: unknown) => {
      logger.warn({ err: error }, 'failed to read the id of this installation');
      return known;
    });
  }

  async #exchangeWithRedis(): Promise<void> {
    const { redis } = this.#options;
    if (!redis.isReady) return;
    const { meta, staged, check: stored } = await redis.readState();
    const check = withoutFuture(stored, this.now());
    if (check && check.at > (this.check?.at ?? 0)) this.#check = check;
    const { own } = this;
    const ownAt = own?.meta.at ?? 0;
    if (own && (meta?.at ?? 0) < ownAt) await this.#restoring.attempt(() => redis.restore(own));
    if (meta && meta.at > ownAt) await this.#takeOver(meta, 'snapshot');
    if (!staged || staged.at <= (this.own?.meta.at ?? 0)) {
      this.#prepared = undefined;
      return;
    }
    await this.#takeOver(staged, 'staged');
    // Each time, as an announcement may be lost; also if it cannot be read: the other replicas must not wait for it.
    await redis.announceReady(staged);
  }

  /** Serves a stored snapshot; a staged one is only prepared. */
  async #takeOver(meta: SnapshotMeta, which: 'snapshot' | 'staged'): Promise<void> {
    const { disk, logger } = this.#options;
    const name = `${which} ${nameOf(meta)}`;
    if (this.#unreadable.has(name)) return;
    try {
      const isReady = this.#prepared !== undefined && nameOf(this.#prepared.meta) === nameOf(meta);
      const next = isReady ? this.#prepared : await this.#prepare(meta, which);
      if (!next) return;
      if (which === 'staged') {
        this.#prepared = next;
        return;
      }
      this.#put(next);
      await disk?.write(next);
    } catch (error) {
      if (isRedisUnavailable(error) || this.#options.signal.aborted) throw error;
      const isFirst = this.#unreadable.peek(name, { allowStale: true }) === undefined;
      this.#unreadable.set(name, true);
      if (isFirst) logger.error({ err: error, snapshot_id: meta.id }, 'failed to load the stored snapshot');
    }
  }

  async #prepare(meta: SnapshotMeta, which: 'snapshot' | 'staged'): Promise<Served | undefined> {
    const { redis, builder, signal } = this.#options;
    const stored = await redis.read(which, meta, this.#served?.documents ?? new Map());
    return stored && buildStored(stored, builder, signal, this.#served?.built);
  }

  async #serveFromDisk(): Promise<void> {
    const { disk, builder, signal } = this.#options;
    const served = await disk?.read((stored) => buildStored(stored, builder, signal));
    if (served) this.#put(served);
  }

  #put(served: Served): void {
    this.#served = served;
    this.#prepared = undefined;
    const { meta, counts } = served;
    const labels = meta.sources.map(({ label }) => label).join(', ');
    this.#options.logger.info({ source: labels, snapshot_id: meta.id, skills: counts.skills }, 'serving a snapshot');
    for (const listener of this.#servedListeners) listener(served);
  }

  /** Runs one step at a time. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#lastStep.then(step);
    this.#lastStep = result.catch(() => {});
    return result;
  }
}
