import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import { connectQueueRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { Queue, Worker } from 'bullmq';
import { registryKeys } from '../keys.ts';

export interface RefreshScheduleOptions {
  redisUrl: string;
  prefix: string;
  sourcesKey: string;
  everyMs: number;
  logger: Logger;
}

export interface Refresher {
  /** Asks upstream, unless any replica has done so within `minAgeMs`; waits `patienceMs` for sources that want it. */
  refresh(minAgeMs: number, patienceMs: number): Promise<void>;
  /** When any replica has asked upstream last, in milliseconds. */
  lastCheckAt(): number;
}

const JOB = 'refresh';
const START = 'start';
const KEPT_JOBS = { count: 10 };
const KEPT_EVENTS = 100;
/** The work of a replica that dies while it fetches is taken over within this time and the next. */
const LOCK_MS = 5_000;
const STALLED_CHECK_MS = 1_000;
/** Often: a machine that is short of time may keep this process waiting for seconds, in which no lock is renewed. */
const LOCK_RENEWAL_MS = 1_000;
/** Replicas that start together ask upstream once; half a refresh where that is shorter. */
const TOGETHER_MS = 5_000;
const REDIS_WAIT_MS = 2_000;
const CLOSE_WAIT_MS = 2_000;
/** Fleets that were started at the same minute do not ask the same upstream in the same second: a tenth of a refresh, 10 s at most. */
const MAX_JITTER_MS = 10_000;

/**
 * Has upstream asked every `everyMs` and at start by one of all replicas: they work on one queue, which runs one job at a time. While Redis
 * is unavailable each replica asks by itself.
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
    // A new schedule runs its first job at once, beside the one of the start. Later ones are nine tenths of a refresh apart or more.
    const minAgeMs = isScheduled ? Math.floor(this.#options.everyMs / 2) : this.#togetherMs;
    if (!this.#closing.signal.aborted) await this.#refresher.refresh(minAgeMs, this.#patienceMs);
  }

  /** Puts the schedule into Redis, or finds it there, and asks for a first check. Repeating it changes nothing. */
  #plan(): void {
    const { everyMs } = this.#options;
    const start = { deduplication: { id: 'start', ttl: this.#togetherMs } };
    Promise.all([
      this.#queue.setGlobalConcurrency(1),
      this.#queue.upsertJobScheduler(JOB, { every: everyMs }, { name: JOB }),
      this.#queue.add(START, {}, start),
    ]).catch((error: unknown) => this.#report(error));
  }

  /** Redis may be away, or have lost the schedule with its data. */
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

  /** The connection itself logs its errors once while Redis is unavailable. */
  #report(error: unknown): void {
    const level = this.#connection.status === 'ready' ? 'warn' : 'debug';
    this.#options.logger[level]({ err: error }, 'refresh queue failed');
  }

  /** Waits for a running refresh, which the owner aborts first; 2 s at most. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const isAway = this.#connection.status !== 'ready';
    const closed = Promise.all([this.#worker.close(isAway), this.#queue.close(), this.#alone]);
    await Promise.race([closed, sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
    this.#connection.disconnect();
  }
}
