import type { Lease } from '@agent-fleet/sdk';
import { createAvailability } from './availability.ts';
import { pause, retry } from './backoff.ts';
import { isRefused, isUnauthorized, messageOf } from './errors.ts';
import { FleetClient } from './fleet-client.ts';
import { release, runLease } from './lease-run.ts';
import { type Settings, toSettings, type Worker, type WorkerOptions } from './options.ts';

/** Limit of one poll. */
const MAX_TASKS = 20;
/** Minimum between polls that return nothing. */
const EMPTY_POLL_MS = 1_000;
/** How long to wait for the fleet after the handlers are aborted. */
const GIVE_UP_MS = 10_000;

/**
 * Takes tasks from a fleet and runs them until it is stopped. During an outage of the fleet running handlers continue,
 * and their results are reported afterwards. @throws TypeError, RangeError for invalid options
 */
export function runWorker(options: WorkerOptions): Worker {
  const running = new RunningWorker(toSettings(options));
  return { done: running.done, stop: () => running.stop() };
}

class RunningWorker {
  readonly done: Promise<void>;
  readonly #settings: Settings;
  readonly #client: FleetClient;
  readonly #runs = new Set<Promise<void>>();
  /** Aborts when no more tasks are taken. */
  readonly #stopping = new AbortController();
  readonly #abortHandlers = new AbortController();
  readonly #giveUp = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #taken = 0;
  #ended = false;
  #onSlot = () => {};

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#client = new FleetClient(settings, createAvailability(originOf(settings), settings.logger));
    this.done = this.#work();
  }

  async stop(): Promise<void> {
    this.#beginStop();
    await this.done.catch(() => {});
  }

  async #work(): Promise<void> {
    try {
      await this.#takeTasks();
    } catch (error) {
      const fatal = toFatal(error, this.#settings);
      // Running tasks may still finish.
      if (this.#runs.size > 0) this.#settings.logger.error(`${messageOf(fatal)}; stopping`);
      this.#beginStop();
      throw fatal;
    } finally {
      await Promise.all(this.#runs);
      this.#ended = true;
      clearTimeout(this.#timer);
    }
  }

  async #takeTasks(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && this.#taken < this.#settings.maxTasks) {
      if (this.#freeSlots() === 0) {
        await this.#freedSlot();
        continue;
      }
      const beganAt = performance.now();
      const leases = await this.#poll();
      for (const lease of leases) this.#start(lease);
      if (leases.length === 0) await pause(beganAt + EMPTY_POLL_MS - performance.now(), signal);
    }
  }

  /** Polls once at a time. A stop aborts the poll, which may wait for 30 s. */
  async #poll(): Promise<Lease[]> {
    const { signal } = this.#stopping;
    const maxTasks = Math.min(this.#freeSlots(), MAX_TASKS);
    try {
      return await retry(() => {
        const paused = this.#settings.pauses();
        // At the end of a pause it asks anew.
        const lefts = paused.map(({ until }) => Math.ceil((Date.parse(until) - Date.now()) / 1000));
        const waitSeconds = Math.max(0, Math.min(this.#settings.request.waitSeconds, ...lefts));
        return this.#client.lease({ ...this.#settings.request, maxTasks, waitSeconds, paused }, signal);
      }, signal);
    } catch (error) {
      if (signal.aborted) return [];
      throw error;
    }
  }

  #start(lease: Lease): void {
    this.#taken += 1;
    const run = this.#run(lease).finally(() => {
      this.#runs.delete(run);
      this.#onSlot();
    });
    this.#runs.add(run);
  }

  async #run(lease: Lease): Promise<void> {
    const { handler, logger, abortOnExpiry, leaseMs, holdMs, request } = this.#settings;
    const [client, giveUp, abortHandlers] = [this.#client, this.#giveUp.signal, this.#abortHandlers.signal];
    // The response came just as the stop began.
    if (this.#stopping.signal.aborted) {
      await release(lease, { client, giveUp, logger }).catch((error) => {
        logger.error(`Task ${lease.task.id}: failed to release: ${messageOf(error)}`);
      });
      return;
    }
    const expiryMs = abortOnExpiry ? leaseMs : undefined;
    const stopping = this.#stopping.signal;
    const { accepts } = request;
    await runLease(lease, { client, handler, logger, expiryMs, accepts, holdMs, stopping, abortHandlers, giveUp });
  }

  #freeSlots(): number {
    const { concurrency, maxTasks } = this.#settings;
    return Math.min(concurrency - this.#runs.size, maxTasks - this.#taken);
  }

  /** Resolves when a task has ended or the worker stops. */
  async #freedSlot(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSlot = resolve;
    await promise;
  }

  #beginStop(): void {
    if (this.#ended || this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#onSlot();
    this.#timer = setTimeout(() => {
      this.#abortHandlers.abort();
      this.#timer = setTimeout(() => this.#giveUp.abort(), GIVE_UP_MS);
    }, this.#settings.stopTimeoutMs);
  }
}

/** The error for the user when the fleet refuses a poll. */
function toFatal(error: unknown, settings: Settings): unknown {
  if (!isRefused(error)) return error;
  const { request } = settings;
  const fleet = `the fleet at ${originOf(settings)}`;
  const { status, message } = error;
  if (isUnauthorized(error)) return new Error(`Credentials refused by ${fleet} (${message})`, { cause: error });
  if (status === 404 && request.agentId !== undefined) {
    return new Error(`Agent ${request.agentId} not found by ${fleet}`, { cause: error });
  }
  return new Error(`Tasks refused by ${fleet} (${message})`, { cause: error });
}

function originOf({ fleet }: Settings): string {
  return URL.parse(fleet.url)?.origin ?? fleet.url;
}
