import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { Logger } from '../logger.ts';
import type { RedisClient } from './connection.ts';

export interface RecurringJobOptions {
  /** The name of the job and, unless `queue` is given, of its queue. */
  name: string;
  queue?: string;
  /** Prefix of BullMQ's keys. */
  prefix: string;
  /** Time between two runs, in ms; at least a tenth less when replicas add them. */
  everyMs: number;
  /** Runs at the same time on this replica. */
  concurrency: number;
  /** Runs at the same time on all replicas. Default: any number. */
  globalConcurrency?: number;
  /** Creates a connection for the queue. */
  connect(): RedisClient;
  /** Runs a job, which has the name that it was started with. */
  run(name: string): Promise<unknown>;
  /** Called whenever the connection is ready. */
  onReady?(): void;
  /** Called when the queue starts anew, because it made no progress. */
  onRestart?: (() => void) | undefined;
  /** How long jobs may wait without a run before the queue starts anew, in ms. Default 4 s. */
  stuckMs?: number;
  logger: Logger;
}

/** Another replica takes over from a crashed one within this time plus STALLED_CHECK_MS. */
const LOCK_MS = 5_000;
/** Short, because an overloaded machine may delay the renewal by seconds. */
const LOCK_RENEWAL_MS = 1_000;
const STALLED_CHECK_MS = 1_000;
const KEPT_EVENTS = 100;
const KEPT = { removeOnComplete: true, removeOnFail: 10 };
const CHECK_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
const STUCK_MS = 4_000;
/** The same while the connection is being made. */
const UNAVAILABLE_MS = 30_000;
const CLOSE_WAIT_MS = 2_000;
/** Share of `everyMs` in which replicas add one job together. */
const TOGETHER_SHARE = 0.9;

/**
 * Runs a job every `everyMs`, and when `start` is called, on one of the replicas that share its BullMQ queue. Each
 * replica adds jobs, so that a failover or FLUSHALL loses at most the next one.
 *
 * After a failover, a worker of BullMQ may wait for ever on a dead connection. So each replica looks whether jobs wait
 * while none runs; then it replaces its queue, worker and connections.
 */
export class RecurringJob {
  readonly #options: RecurringJobOptions;
  readonly #closing = new AbortController();
  #connection!: RedisClient;
  #queue!: Queue;
  #worker!: Worker;
  /** Runs on this replica. */
  #running = 0;
  #addedAt = Number.NEGATIVE_INFINITY;
  #progressAt = performance.now();
  #adding: Promise<unknown> = Promise.resolve();

  constructor(options: RecurringJobOptions) {
    this.#options = options;
    this.#open();
    void this.#watch();
  }

  /** Whether Redis is available. */
  get isReady(): boolean {
    return this.#connection.status === 'ready';
  }

  /** Begins a run at once, on any replica; with `togetherMs`, unless one was started by this name within that time. */
  async start(name = this.#options.name, togetherMs?: number): Promise<void> {
    await this.#enqueue(name, togetherMs).catch(this.#report);
  }

  /** Waits at most 2 s for running jobs. */
  async close(): Promise<void> {
    this.#closing.abort();
    // BullMQ waits for Redis, and then connects again.
    const ended = this.isReady && Promise.all([this.#worker.pause(), this.#adding]);
    await Promise.race([ended, sleep(CLOSE_WAIT_MS, undefined, { ref: false })]);
    await this.#disconnect();
  }

  #open(): void {
    const { name, queue = name, prefix, concurrency, connect, run, onReady, logger } = this.#options;
    this.#connection = connect();
    const base = { connection: this.#connection, prefix };
    this.#queue = new Queue(queue, { ...base, streams: { events: { maxLen: KEPT_EVENTS } } });
    const counted = async (job: { name: string }) => {
      this.#running++;
      await run(job.name).finally(() => {
        this.#running--;
      });
    };
    this.#worker = new Worker(queue, counted, {
      ...base,
      concurrency,
      lockDuration: LOCK_MS,
      lockRenewTime: LOCK_RENEWAL_MS,
      stalledInterval: STALLED_CHECK_MS,
    });
    this.#queue.on('error', this.#report);
    this.#worker.on('error', this.#report);
    this.#worker.on('failed', (job, error) => logger.error({ err: error, job: job?.name }, 'background job failed'));
    if (onReady) this.#connection.on('ready', onReady);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    const checkMs = Math.min(CHECK_MS, this.#options.everyMs);
    while (!signal.aborted) {
      await this.#check();
      await sleep(checkMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #check(): Promise<void> {
    const counts = await this.#count().catch(() => undefined);
    if (this.#closing.signal.aborted) return;
    const now = performance.now();
    if (counts && (counts.waiting === 0 || counts.active > 0)) this.#progressAt = now;
    const { stuckMs = STUCK_MS, everyMs } = this.#options;
    const isConnecting = !['ready', 'end'].includes(this.#connection.status);
    if (now - this.#progressAt > (isConnecting ? UNAVAILABLE_MS : stuckMs)) this.#restart();
    else if (counts?.waiting === 0 && now - this.#addedAt >= everyMs) this.#adding = this.#add(now);
  }

  /** Counts the jobs that wait, and those that run on any replica. */
  async #count(): Promise<{ waiting: number; active: number }> {
    const late = sleep(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('Redis does not respond');
    });
    const { waiting = 0, active = 0 } = await Promise.race([this.#queue.getJobCounts('waiting', 'active'), late]);
    return { waiting, active: active + this.#running };
  }

  async #enqueue(name: string, togetherMs: number | undefined): Promise<void> {
    if (togetherMs === undefined) {
      await this.#queue.add(name, undefined, KEPT);
      return;
    }
    // With another interval than before, a restart does not wait for the end of the old one.
    const id = `${name}-${togetherMs}`;
    // Redis' clock was set back.
    const isTooLong = (await this.#connection.pttl(this.#queue.toKey(`de:${id}`))) > togetherMs;
    if (isTooLong) await this.#queue.removeDeduplicationKey(id);
    await this.#queue.add(name, undefined, { ...KEPT, deduplication: { id, ttl: togetherMs } });
  }

  async #add(now: number): Promise<void> {
    const { name, everyMs, globalConcurrency } = this.#options;
    this.#addedAt = now;
    try {
      if (globalConcurrency !== undefined) await this.#queue.setGlobalConcurrency(globalConcurrency);
      await this.start(name, Math.ceil(everyMs * TOGETHER_SHARE));
    } catch (error) {
      this.#report(error);
    }
  }

  #restart(): void {
    const { name, queue = name, logger, onRestart } = this.#options;
    logger.warn({ queue }, 'queue made no progress: connects anew');
    this.#disconnect().catch(this.#report);
    this.#open();
    this.#progressAt = performance.now();
    this.#addedAt = Number.NEGATIVE_INFINITY;
    onRestart?.();
  }

  /** Ends the current queue, worker and connections without Redis. */
  async #disconnect(): Promise<void> {
    const [connection, queue, worker] = [this.#connection, this.#queue, this.#worker];
    const closed = worker.close(true);
    connection.disconnect();
    await closed;
    await queue.close();
  }

  /** The connection logs once that Redis is unavailable. */
  readonly #report = (error: unknown): void => {
    const { name, queue = name, logger } = this.#options;
    logger[this.isReady ? 'warn' : 'debug']({ err: error, queue }, 'queue failed');
  };
}
