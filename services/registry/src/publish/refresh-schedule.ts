import { setTimeout as sleep } from 'node:timers/promises';
import { connectQueueRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';
import { registryKeys } from '../keys.ts';
import type { RedisSnapshotStoreOptions } from './redis-snapshot-store.ts';

interface RefreshScheduleOptions extends RedisSnapshotStoreOptions {
  everyMs: number;
}

export interface Refresher {
  /** Checks the sources, unless any replica did within `minAgeMs`; waits up to `patienceMs` until sources are due. */
  refresh(minAgeMs: number, patienceMs: number): Promise<void>;
  /** When any replica last checked the sources, in milliseconds. */
  lastCheckAt(): number;
}

const JOB = 'refresh';
const START = 'start';
const KEPT_JOBS = { count: 10 };
const KEPT_EVENTS = 100;
/** Another replica takes over from a crashed one within this time plus STALLED_CHECK_MS. */
const LOCK_MS = 5_000;
const STALLED_CHECK_MS = 1_000;
/** Short, because an overloaded machine may delay the renewal by seconds. */
const LOCK_RENEWAL_MS = 1_000;
/** Replicas that start within this time, or half a refresh if that is shorter, check the sources once. */
const TOGETHER_MS = 5_000;
const REDIS_WAIT_MS = 2_000;
const CLOSE_WAIT_MS = 2_000;
/** Jitter keeps fleets started at the same time apart: a tenth of a refresh, at most 10 s. */
const MAX_JITTER_MS = 10_000;

/**
 * Runs a refresh every `everyMs` and at start on one of the replicas: they share a queue that runs one job at a time.
 * While Redis is unavailable, each replica refreshes on its own.
 */
export class RefreshSchedule {
  readonly #options: RefreshScheduleOptions;
  readonly #refresher: Refresher;
  readonly #connection: RedisClient;
  readonly #queue: Queue;
  readonly #worker: Worker;
  readonly #timers: NodeJS.Timeout[];
  readonly #togetherMs: number;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  #alone: Promise<void> | undefined;

  constructor(options: RefreshScheduleOptions, refresher: Refresher) {
    const { redisUrl, prefix, sourcesKey, everyMs, logger } = options;
    this.#options = options;
    this.#refresher = refresher;
    this.#connection = connectQueueRedis(redisUrl, logger);
    const name = `${JOB}-${sourcesKey}`;
    const base = { connection: this.#connection, prefix: registryKeys(prefix).queuePrefix };
    const kept = { removeOnComplete: KEPT_JOBS, removeOnFail: KEPT_JOBS };
    this.#queue = new Queue(name, { ...base, streams: { events: { maxLen: KEPT_EVENTS } }, defaultJobOptions: kept });
    this.#togetherMs = Math.floor(Math.min(TOGETHER_MS, everyMs / 2));
    this.#patienceMs = Math.min(everyMs / 10, MAX_JITTER_MS);
    this.#worker = new Worker(name, (job) => this.#run(job.name), {
      ...base,
      ...kept,
      concurrency: 1,
      lockDuration: LOCK_MS,
      lockRenewTime: LOCK_RENEWAL_MS,
      stalledInterval: STALLED_CHECK_MS,
    });
    this.#worker.on('failed', (_job, error) => logger.error({ err: error }, 'refresh failed'));
    this.#queue.on('error', (error) => this.#report(error));
    this.#worker.on('error', (error) => this.#report(error));
    this.#connection.on('ready', () => this.#plan());
    this.#timers = [
      setTimeout(() => this.#watch(), REDIS_WAIT_MS).unref(),
      setInterval(() => this.#watch(), everyMs).unref(),
    ];
  }

  async #run(job: string): Promise<void> {
    const isScheduled = job === JOB;
    const jitterMs = isScheduled ? Math.random() * this.#patienceMs : 0;
    await sleep(jitterMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    // A new job scheduler runs its first job at once, beside the start job. Later ones are 0.9 refreshes apart or more.
    const minAgeMs = isScheduled ? Math.floor(this.#options.everyMs / 2) : this.#togetherMs;
    if (!this.#closing.signal.aborted) await this.#refresher.refresh(minAgeMs, this.#patienceMs);
  }

  /** Creates the schedule in Redis if it is missing and enqueues a first check. Idempotent. */
  #plan(): void {
    const { everyMs } = this.#options;
    const start = { deduplication: { id: 'start', ttl: this.#togetherMs } };
    Promise.all([
      this.#queue.setGlobalConcurrency(1),
      this.#queue.upsertJobScheduler(JOB, { every: everyMs }, { name: JOB }),
      this.#queue.add(START, {}, start),
    ]).catch((error: unknown) => this.#report(error));
  }

  /** Redis may be unavailable, or may have lost the schedule with its data. */
  #watch(): void {
    if (this.#connection.status === 'ready') {
      if (Date.now() - this.#refresher.lastCheckAt() > 2 * this.#options.everyMs) this.#plan();
      return;
    }
    this.#alone ??= this.#refresher
      .refresh(0, 0)
      .catch((error: unknown) => this.#options.logger.error({ err: error }, 'refresh failed'))
      .finally(() => {
        this.#alone = undefined;
      });
  }

  /** While Redis is unavailable, the connection itself logs the error once. */
  #report(error: unknown): void {
    const level = this.#connection.status === 'ready' ? 'warn' : 'debug';
    this.#options.logger[level]({ err: error }, 'refresh queue failed');
  }

  /** Waits at most 2 s for a running refresh, which the owner aborts first. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const isAway = this.#connection.status !== 'ready';
    const closed = Promise.all([this.#worker.close(isAway), this.#queue.close(), this.#alone]);
    await Promise.race([closed, sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
    this.#connection.disconnect();
  }
}
