import { createAvailability } from './availability.ts';
import { pause, persist } from './backoff.ts';
import { FleetRefusedError, isUnauthorized, messageOf } from './errors.ts';
import { createFleetClient, type FleetClient } from './fleet-client.ts';
import { release, runLease } from './lease-run.ts';
import { type Settings, toSettings, type Worker, type WorkerOptions } from './options.ts';
import type { Lease } from './task.ts';

/** What one poll may ask for. */
const MAX_TASKS = 20;
/** A fleet that answers at once that it has nothing is not asked in a loop. */
const EMPTY_POLL_MS = 1_000;
/** From when handlers are aborted to when the fleet is no longer waited for. */
const GIVE_UP_MS = 10_000;

/**
 * Takes tasks of a fleet and works on them until it is stopped. The fleet may go away meanwhile: running handlers go on, and their results are
 * delivered when it is back. @throws TypeError, RangeError for wrong options
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
  /** No new tasks. */
  readonly #stopping = new AbortController();
  readonly #abortHandlers = new AbortController();
  readonly #giveUp = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #taken = 0;
  #ended = false;
  #onSlot = () => {};

  constructor(settings: Settings) {
    this.#settings = settings;
    const { url, credentials, logger } = settings;
    this.#client = createFleetClient({ url, credentials, availability: createAvailability(url.origin, logger) });
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
      // What runs may still finish.
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

  /** Never more than one at a time. It is cut when the worker stops: it could not be waited for. */
  async #poll(): Promise<Lease[]> {
    const { signal } = this.#stopping;
    const request = { ...this.#settings.request, maxTasks: Math.min(this.#freeSlots(), MAX_TASKS) };
    try {
      return await persist(() => this.#client.lease(request, signal), signal);
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
    const { handler, logger, abortOnExpiry, leaseMs } = this.#settings;
    const [client, giveUp, abortHandlers] = [this.#client, this.#giveUp.signal, this.#abortHandlers.signal];
    // Answered in the moment in which the stop began.
    if (this.#stopping.signal.aborted) {
      await release(lease, client, giveUp).catch((error) => {
        logger.error(`Task ${lease.task.id}: could not be released: ${messageOf(error)}`);
      });
      return;
    }
    const expiryMs = abortOnExpiry ? leaseMs : undefined;
    await runLease(lease, { client, handler, logger, expiryMs, abortHandlers, giveUp });
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

/** What the fleet's no to a poll means to who started the worker. */
function toFatal(error: unknown, { url, request }: Settings): unknown {
  if (!(error instanceof FleetRefusedError)) return error;
  const fleet = `the fleet at ${url.origin}`;
  const { status, message } = error;
  if (isUnauthorized(error)) return new Error(`Credentials refused by ${fleet} (${message})`, { cause: error });
  if (status === 404 && request.agentId !== undefined) {
    return new Error(`Agent ${request.agentId} not found by ${fleet}`, { cause: error });
  }
  return new Error(`Tasks refused by ${fleet} (${message})`, { cause: error });
}
