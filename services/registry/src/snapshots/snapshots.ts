import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { isRedisAway } from '@agent-fleet/shared/redis';
import type { BuildInput } from '../building/build-input.ts';
import type { Builder } from '../building/builder.ts';
import { collectOnce } from '../building/collect-garbage.ts';
import { LARGE_BODY_BYTES } from '../building/encode-body.ts';
import { UpstreamError, type UpstreamErrorCode } from '../upstream/errors.ts';
import { type FetchLimits, fetchSource } from '../upstream/fetch-source.ts';
import type { Source } from '../upstream/source.ts';
import { Adoption } from './adoption.ts';
import type { DiskSnapshotStore } from './disk-snapshot-store.ts';
import type { RedisSnapshotStore } from './redis-snapshot-store.ts';
import { type Served, toServed } from './served.ts';
import { buildShipped } from './shipped.ts';
import { type Check, filesOf, type SnapshotMeta, type StoredSnapshot } from './snapshot.ts';
import { dueSources, noteOutcomes, type Outcome, waitUntilDue } from './source-checks.ts';
import { switchTogether } from './switch-together.ts';

/** What could not be read for want of memory or time may be read later. */
const TRY_AGAIN_MS = 60_000;

export interface SnapshotsOptions {
  sources: readonly Source[];
  redis: RedisSnapshotStore;
  disk: DiskSnapshotStore | undefined;
  builder: Builder;
  limits: FetchLimits;
  /** Digests of what an operator accepts though it would be refused. */
  accepted: ReadonlySet<string>;
  logger: Logger;
  /** Fires when the service stops. */
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * The snapshot that this replica serves. It changes at once and as a whole, from one good snapshot of the sources to a newer one: built of
 * what this replica fetched (`refresh`), or of what another one has stored (`sync`). All replicas make a new one ready first and then
 * switch together.
 */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #keys: ReadonlySet<string>;
  #served: Served | undefined;
  /** Ready to be served once all replicas are. */
  #prepared: Served | undefined;
  #check: Check | undefined;
  /** A stored snapshot that this replica cannot read, a later version may have written it, and when to try again. */
  #unreadable: { id: string; until: number } | undefined;
  #syncing: Promise<void> | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  readonly #servedListeners: ((served: Served) => void)[] = [];
  readonly #checkedListeners: ((outcome: UpstreamErrorCode | 'ok') => void)[] = [];

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#keys = new Set(options.sources.map(({ key }) => key));
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

  /** The last check of the sources by any replica. */
  get check(): Check | undefined {
    return this.#check;
  }

  /** The served snapshot when it is one of the configured sources, not the shipped file in their place. */
  get own(): Served | undefined {
    return this.#served?.meta.sources.some(({ key }) => this.#keys.has(key)) ? this.#served : undefined;
  }

  /** Calls back with each snapshot that is served from now on, and with the one that is. */
  onServed(listener: (served: Served) => void): void {
    this.#servedListeners.push(listener);
    if (this.#served) listener(this.#served);
  }

  /** Calls back with what came of each check of a source by this replica. */
  onChecked(listener: (outcome: UpstreamErrorCode | 'ok') => void): void {
    this.#checkedListeners.push(listener);
  }

  /** On start: the newer of disk and Redis, which is waited for `redisWaitMs` at most, else the shipped file. */
  async load(redisWaitMs: number): Promise<void> {
    const { redis, disk, sources } = this.#options;
    const state = (await redis.waitUntilReady(redisWaitMs))
      ? await redis.readState().catch(() => undefined)
      : undefined;
    const onDisk = await this.#tryDisk(() => disk?.readMeta());
    if (onDisk && onDisk.at >= (state?.meta?.at ?? 0)) {
      const stored = await this.#tryDisk(() => disk?.read());
      if (stored) await this.#tryDisk(async () => this.#put(await this.#build(stored)));
    }
    await this.sync();
    if (sources.every(({ location }) => 'file' in location)) await this.refresh();
    if (this.#served === undefined) await this.#serveShipped();
  }

  /** Takes over what other replicas have stored, and stores what they lack. Calls while it runs share one more run. */
  sync(): Promise<void> {
    this.#syncing ??= this.#inTurn(async () => {
      this.#syncing = undefined;
      await this.#exchangeWithRedis();
    }).catch((error: unknown) => {
      const { signal, logger } = this.#options;
      if (!signal.aborted) logger.warn({ err: error }, 'snapshots cannot be compared with Redis');
    });
    return this.#syncing;
  }

  /**
   * Asks the sources that may be asked now, or within `patienceMs`, unless any replica has done so within `minAgeMs`. Whatever fails leaves the snapshot as it is and
   * is told by `check`. Rejects when the service stops.
   */
  async refresh(minAgeMs = 0, patienceMs = 0): Promise<void> {
    const { sources, accepted, redis, logger, signal } = this.#options;
    await this.sync();
    if (this.now() - (this.#check?.at ?? 0) < minAgeMs) return;
    // What a source wants to be left alone for is often just the time between two refreshes.
    await sleep(waitUntilDue(sources, this.#check, this.now(), patienceMs), undefined, { signal });
    const now = this.now();
    const outcomes = await Promise.all(
      dueSources(sources, this.#check, accepted, now).map((source) => this.#ask(source)),
    );
    if (outcomes.length === 0) return;
    await this.#inTurn(() => this.#adopt(outcomes));
    if (!redis.isReady || !this.#check) return;
    await redis.writeCheck(this.#check).catch((error: unknown) => {
      logger.warn({ err: error }, 'the check cannot be stored');
    });
  }

  async #ask(source: Source): Promise<Outcome> {
    const { limits, signal, logger } = this.#options;
    try {
      const fetched = await fetchSource(source, this.#known(source), limits, signal);
      return { source, fetched, at: this.now() };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      logger.warn({ err: error, source: source.label }, 'the registry source cannot be used');
      return { source, error, at: this.now() };
    }
  }

  #known({ key }: Source) {
    const { own } = this;
    const meta = own?.meta.sources.find((known) => known.key === key);
    if (!own || !meta) return undefined;
    const validated = this.#check?.sources[key]?.validated;
    const validators = validated?.digest === meta.digest ? validated.validators : meta.validators;
    return { files: filesOf(meta, own.documents), validators };
  }

  /** Builds a snapshot of what has come, has all replicas make it ready, and serves it. */
  async #adopt(outcomes: readonly Outcome[]): Promise<void> {
    const { sources, accepted, builder, signal, logger } = this.#options;
    const adoption = new Adoption({ sources, accepted, own: this.own, check: this.#check, outcomes });
    if (adoption.isNeeded) {
      try {
        const built = await builder.build(adoption.input, signal);
        const stored = adoption.settle(built);
        if (stored) await this.#switchTo(toServed(stored, built));
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        adoption.fail(error);
      }
    }
    for (const [, { digest, code, message }] of adoption.newRefusals) {
      logger.error({ snapshot_id: digest, code, reason: message }, 'a new snapshot is refused and the old one stays');
    }
    const check = noteOutcomes(this.#check, adoption.outcomes, adoption.refusals, this.now());
    this.#check = check;
    for (const { source } of outcomes) {
      for (const listener of this.#checkedListeners) listener(check.sources[source.key]?.error?.code ?? 'ok');
    }
  }

  /** First of all kept: what a client has seen is there after a kill -9, too. */
  async #switchTo(next: Served): Promise<void> {
    const { redis, disk, signal, logger } = this.#options;
    await this.#tryDisk(() => disk?.write(next));
    this.#prepared = next;
    const switched = await switchTogether(next, redis, signal, logger);
    if (switched) this.#put(next);
  }

  async #exchangeWithRedis(): Promise<void> {
    const { redis } = this.#options;
    if (!redis.isReady) return;
    const { meta, staged, check } = await redis.readState();
    if (check && check.at > (this.#check?.at ?? 0)) this.#check = check;
    const ownAt = this.own?.meta.at ?? 0;
    if (this.own && (meta?.at ?? 0) < ownAt) await redis.restore(this.own);
    if (meta && meta.at > ownAt) await this.#takeOver(meta, 'snapshot');
    if (staged && staged.at > (this.own?.meta.at ?? 0)) await this.#takeOver(staged, 'staged');
    else this.#prepared = undefined;
  }

  /** Serves a stored snapshot; a staged one is only made ready. */
  async #takeOver(meta: SnapshotMeta, which: 'snapshot' | 'staged'): Promise<void> {
    const { redis, disk, logger } = this.#options;
    if (meta.id === this.#unreadable?.id && performance.now() < this.#unreadable.until) return;
    try {
      const isReady = this.#prepared?.meta.id === meta.id && this.#prepared.meta.at === meta.at;
      const next = isReady ? this.#prepared : await this.#prepare(meta, which);
      if (!next) return;
      if (which === 'staged') {
        this.#prepared = next;
        if (!isReady) await redis.announceReady(meta.id);
        return;
      }
      this.#put(next);
      await this.#tryDisk(() => disk?.write(next));
    } catch (error) {
      if (isRedisAway(error) || this.#options.signal.aborted) throw error;
      this.#unreadable = { id: meta.id, until: performance.now() + TRY_AGAIN_MS };
      // The others do not wait for it.
      if (which === 'staged') await redis.announceReady(meta.id);
      logger.error({ err: error, snapshot_id: meta.id }, 'the stored snapshot cannot be used');
    }
  }

  async #prepare({ id }: SnapshotMeta, which: 'snapshot' | 'staged'): Promise<Served | undefined> {
    const stored = await this.#options.redis.read(which, id, this.#served?.documents ?? new Map());
    return stored && this.#build(stored);
  }

  /** What is stored was judged before it was. @throws Error when it cannot be read */
  async #build(stored: StoredSnapshot): Promise<Served> {
    const { builder, signal } = this.#options;
    const sources = stored.meta.sources.map((source) => {
      return { label: source.label, files: filesOf(source, stored.documents), isAccepted: true };
    });
    const input: BuildInput = { sources };
    const built = await builder.build(input, signal);
    const refused = built.report.sources.find((source) => source.refused)?.refused;
    if (refused) throw new UpstreamError(refused.code, refused.message);
    // As the build has left them: in shared memory, so that the next one needs no copy.
    const documents = new Map(
      sources.flatMap(({ files }) => files.documents.map(({ digest, packed }) => [digest, packed])),
    );
    return toServed({ ...stored, documents }, built);
  }

  #put(served: Served): void {
    if (this.#served && this.#served.list.identity.body.length > LARGE_BODY_BYTES) collectOnce(this.#served);
    this.#served = served;
    this.#prepared = undefined;
    const { meta, counts } = served;
    const labels = meta.sources.map(({ label }) => label).join(', ');
    this.#options.logger.info({ source: labels, snapshot_id: meta.id, skills: counts.skills }, 'snapshot served');
    for (const listener of this.#servedListeners) listener(served);
  }

  async #serveShipped(): Promise<void> {
    try {
      const shipped = await buildShipped(this.#options);
      if (shipped) this.#put(shipped);
    } catch (error) {
      if (this.#options.signal.aborted) throw error;
      this.#options.logger.error({ err: error }, 'the shipped registry file cannot be read');
    }
  }

  async #tryDisk<Result>(act: () => Promise<Result> | undefined): Promise<Result | undefined> {
    try {
      return await act();
    } catch (error) {
      if (this.#options.signal.aborted) throw error;
      this.#options.logger.warn({ err: error }, 'the snapshot on disk cannot be read or written');
      return undefined;
    }
  }

  /** One change at a time. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const result = this.#lastStep.then(step);
    this.#lastStep = result.catch(() => {});
    return result;
  }
}
