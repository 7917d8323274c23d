import { setTimeout as sleep } from 'node:timers/promises';
import { isRedisUnavailable } from '@agent-fleet/shared/redis/errors';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import { offersOf } from '../tasks/rules/needs.ts';
import type { Pause } from './pauses.ts';

const FLUSH_MS = 1_000;
/** A time that was written is written again after this many ms. */
const SEEN_MS = 5_000;
/** What one script writes at most, in fields and entries: about 1 ms. */
const MAX_WRITES = 300;
const WRITES_PER_WORKER = 7;
const WRITES_PER_POLL = 3;
/** What this process remembers at most until it is written. */
const MAX = { workers: 10_000, types: 10_000, agents: 50_000, agentsOfWorker: 100 };

/** A request for tasks: of agents of some types, of some agents, or of some agents if they are of some types. */
export interface Poll {
  workerId: string;
  types?: readonly string[];
  agents?: readonly string[];
  /** What the worker takes. */
  accepts: readonly string[];
  labels: readonly string[];
  /** When it takes no tasks, or none of a provider. */
  pauses: readonly Pause[];
  /** The address of the client; null when it is not known. */
  client: string | null;
}

/** What was seen of a worker since it was last written. Times in ms. */
interface SeenWorker {
  first: number;
  seen: number;
  polled: number | undefined;
  types: Set<string>;
  agents: Set<string>;
  /** As its last request for tasks says. */
  accepts: readonly string[] | undefined;
  labels: readonly string[] | undefined;
  pauses: string | undefined;
  client: string | null;
  completed: number;
  failed: number;
}

/** An agent that was polled by a worker with some offers: with `types`, only if it is of one of these. */
interface PolledAgent {
  id: string;
  offers: string;
  at: number;
  types: Set<string> | undefined;
}

interface Batch {
  workers: object[];
  types: [type: string, offers: string, at: number][];
  agents: object[];
}

/**
 * Collects in memory what this replica sees of workers, and writes it once a second (write-behind): no request waits.
 * A crash loses what was not written: counts of up to a second, times of up to five.
 */
export class WorkerActivity {
  readonly #context: FleetContext;
  readonly #recordActivity;
  readonly #open = new Set<Poll>();
  readonly #workers = new Recent<SeenWorker>(MAX.workers, SEEN_MS);
  readonly #types = new Recent<{ type: string; offers: string; at: number }>(MAX.types, SEEN_MS);
  readonly #agents = new Recent<PolledAgent>(MAX.agents, SEEN_MS);
  /** When the open polls were last seen. */
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** A batch that failed. */
  #unsent: Batch | undefined;

  constructor(context: FleetContext) {
    this.#context = context;
    this.#recordActivity = loadFleetScript(context, 'workers/record-activity');
  }

  /** Records a request for tasks; it counts as long as it is open, until the returned function is called. */
  poll(poll: Poll): () => void {
    this.#see(poll);
    this.#open.add(poll);
    return () => {
      if (this.#open.delete(poll)) this.#see(poll);
    };
  }

  /** Records that a worker has used a lease; `reported`: the result, if it has reported one. */
  seeLease(workerId: string, client: string | null, reported?: 'completed' | 'failed' | 'cancelled'): void {
    const worker = this.#seeWorker(workerId, client);
    if (reported === 'completed') worker.completed += 1;
    if (reported === 'failed') worker.failed += 1;
  }

  /** Writes what has been seen. @throws when Redis is unavailable; the next call repeats it then */
  async flush(): Promise<void> {
    const now = this.#context.clock.now();
    if (now - this.#refreshedAt >= SEEN_MS) {
      for (const poll of this.#open) this.#see(poll);
      this.#refreshedAt = now;
    }
    if (this.#unsent) await this.#send(this.#unsent);
    for (const batch of this.#takeBatches(now)) await this.#send(batch);
  }

  /** Flushes once a second until `close`, which flushes once more. */
  start(): { close(): Promise<void> } {
    const closing = new AbortController();
    const { redis } = this.#context;
    const run = async () => {
      while (!closing.signal.aborted) {
        await sleep(FLUSH_MS, undefined, { signal: closing.signal }).catch(() => {});
        // The connection logs that Redis is unavailable.
        if (redis.status === 'ready') await this.flush().catch((error: unknown) => this.#logFailure(error));
      }
    };
    const running = run();
    return {
      async close() {
        closing.abort();
        await running;
      },
    };
  }

  #see({ workerId, types, agents, accepts, labels, pauses, client }: Poll): void {
    const worker = this.#seeWorker(workerId, client);
    const at = worker.seen;
    worker.polled = at;
    Object.assign(worker, { accepts, labels, pauses: JSON.stringify(pauses) });
    const offers = offersOf({ accepts, labels }).join(' ');
    for (const type of types ?? []) {
      worker.types.add(type);
      if (agents) continue;
      this.#types.get(`${type} ${offers}`, () => ({ type, offers, at })).at = at;
    }
    for (const agent of agents ?? []) {
      if (worker.agents.size < MAX.agentsOfWorker) worker.agents.add(agent);
      const create = () => ({ id: agent, offers, at, types: types && new Set<string>() });
      const polled = this.#agents.get(`${agent} ${offers}`, create);
      polled.at = at;
      if (!types) polled.types = undefined;
      for (const type of types ?? []) polled.types?.add(type);
    }
  }

  #seeWorker(workerId: string, client: string | null): SeenWorker {
    const now = this.#context.clock.now();
    // cjson refuses lone surrogates.
    const worker = this.#workers.get(workerId.toWellFormed(), () => ({
      ...{ first: now, seen: now, polled: undefined, types: new Set<string>(), agents: new Set<string>() },
      ...{ accepts: undefined, labels: undefined, pauses: undefined, client, completed: 0, failed: 0 },
    }));
    // The clock may go back when it is measured again.
    worker.seen = Math.max(worker.seen, now);
    worker.client = client;
    return worker;
  }

  *#takeBatches(now: number): Generator<Batch> {
    let batch: Batch = { workers: [], types: [], agents: [] };
    let writes = 0;
    const isFull = (more: number) => {
      writes += more;
      return writes >= MAX_WRITES;
    };
    const takeAll = () => {
      const full = batch;
      batch = { workers: [], types: [], agents: [] };
      writes = 0;
      return full;
    };
    for (const [id, { types, agents, ...seen }] of this.#workers.takeDue(now, hasCounts)) {
      batch.workers.push({ id, ...seen, types: [...types], agents: [...agents] });
      if (isFull(WRITES_PER_WORKER + types.size + agents.size)) yield takeAll();
    }
    for (const [, { type, offers, at }] of this.#types.takeDue(now)) {
      batch.types.push([type, offers, at]);
      if (isFull(WRITES_PER_POLL)) yield takeAll();
    }
    for (const [, { types, ...polled }] of this.#agents.takeDue(now)) {
      batch.agents.push({ ...polled, types: types && [...types] });
      if (isFull(WRITES_PER_POLL)) yield takeAll();
    }
    if (writes > 0) yield takeAll();
  }

  async #send(batch: Batch): Promise<void> {
    this.#unsent = batch;
    await this.#recordActivity(batch);
    this.#unsent = undefined;
  }

  #logFailure(error: unknown): void {
    const level = isRedisUnavailable(error) ? 'debug' : 'error';
    this.#context.logger[level]({ err: error }, 'failed to record the activity of workers; retrying');
  }
}

const hasCounts = ({ completed, failed }: SeenWorker) => completed + failed > 0;

interface Entry<Value> {
  /** Undefined when all is written. */
  value: Value | undefined;
  /** In ms. */
  writtenAt: number;
}

/**
 * Values by key that wait to be written: the first at once, later ones at most every `everyMs`. Of more than `max` keys
 * the oldest are dropped.
 */
class Recent<Value> {
  readonly #max: number;
  readonly #everyMs: number;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(max: number, everyMs: number) {
    this.#max = max;
    this.#everyMs = everyMs;
  }

  /** Returns the value that waits, or a new one. */
  get(key: string, create: () => Value): Value {
    let entry = this.#entries.get(key);
    if (!entry) {
      for (const oldest of this.#entries.keys()) {
        if (this.#entries.size < this.#max) break;
        this.#entries.delete(oldest);
      }
      entry = { value: undefined, writtenAt: Number.NEGATIVE_INFINITY };
      this.#entries.set(key, entry);
    }
    entry.value ??= create();
    return entry.value;
  }

  /** Takes the values that are to be written now, and forgets keys without any. `isUrgent`: one that must not wait. */
  *takeDue(now: number, isUrgent: (value: Value) => boolean = () => false): Generator<[key: string, value: Value]> {
    for (const [key, entry] of this.#entries) {
      const { value, writtenAt } = entry;
      const isRecent = now - writtenAt < this.#everyMs;
      if (value === undefined) {
        if (!isRecent) this.#entries.delete(key);
      } else if (!isRecent || isUrgent(value)) {
        entry.value = undefined;
        entry.writtenAt = now;
        yield [key, value];
      }
    }
  }
}
