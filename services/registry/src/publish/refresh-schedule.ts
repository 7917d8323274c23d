import { setTimeout as sleep } from 'node:timers/promises';
import { connectQueueRedis } from '@agent-fleet/shared/redis/connection';
import { RecurringJob } from '@agent-fleet/shared/redis/recurring-job';
import { registryKeys } from '../keys.ts';
import type { RedisSnapshotStoreOptions } from '../store/redis-snapshot-store.ts';

interface RefreshScheduleOptions extends RedisSnapshotStoreOptions {
  everyMs: number;
  /** Called when the queue starts anew, because it made no progress. */
  onRestart?: () => void;
}

/** Checks the sources, unless any replica did within `minAgeMs`; waits up to `patienceMs` until sources are due. */
type Refresh = (minAgeMs: number, patienceMs: number) => Promise<void>;

const JOB = 'refresh';
const START = 'start';
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
  readonly #refresh: Refresh;
  readonly #job: RecurringJob;
  readonly #timers: NodeJS.Timeout[];
  readonly #togetherMs: number;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  #alone: Promise<void> | undefined;

  constructor(options: RefreshScheduleOptions, refresh: Refresh) {
    const { redisUrl, prefix, sourcesKey, everyMs, logger } = options;
    this.#options = options;
    this.#refresh = refresh;
    this.#togetherMs = Math.floor(Math.min(TOGETHER_MS, everyMs / 2));
    this.#patienceMs = Math.min(everyMs / 10, MAX_JITTER_MS);
    this.#job = new RecurringJob({
      name: JOB,
      queue: `${JOB}-${sourcesKey}`,
      prefix: registryKeys(prefix, sourcesKey).queuePrefix,
      everyMs,
      concurrency: 1,
      globalConcurrency: 1,
      connect: () => connectQueueRedis(redisUrl, logger),
      run: (job) => this.#run(job),
      onReady: () => void this.#job.start(START, this.#togetherMs),
      onRestart: options.onRestart,
      logger,
    });
    this.#timers = [
      setTimeout(() => this.#refreshAlone(), REDIS_WAIT_MS).unref(),
      setInterval(() => this.#refreshAlone(), everyMs).unref(),
    ];
  }

  async #run(job: string): Promise<void> {
    const isScheduled = job === JOB;
    const jitterMs = isScheduled ? Math.random() * this.#patienceMs : 0;
    await sleep(jitterMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    // The first job runs at once, beside the start job. Later ones are 0.9 refreshes apart or more.
    const minAgeMs = isScheduled ? Math.floor(this.#options.everyMs / 2) : this.#togetherMs;
    if (!this.#closing.signal.aborted) await this.#refresh(minAgeMs, this.#patienceMs);
  }

  #refreshAlone(): void {
    if (this.#job.isReady) return;
    this.#alone ??= this.#refresh(0, 0)
      .catch((error: unknown) => this.#options.logger.error({ err: error }, 'refresh failed'))
      .finally(() => {
        this.#alone = undefined;
      });
  }

  /** Waits at most 2 s for a running refresh, which the owner aborts first. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const waited = sleep(CLOSE_WAIT_MS, undefined, { ref: false });
    await Promise.all([this.#job.close(), Promise.race([this.#alone, waited])]);
  }
}
