import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agent-fleet/shared/logger';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { isRedisUnavailable, NotReplicatedError } from '@agent-fleet/shared/redis/errors';
import type { Barrier } from '@agent-fleet/shared/redis/replicated-writes';
import { numberOf, type StreamEntry } from './event.ts';

const BLOCK_MS = 1_000;
/** At most as many entries as a stream keeps: a read of fewer has missed none. */
const BATCH = 1_000;
const RETRY_MS = 200;
const LINGER_MS = 10_000;

interface Options {
  /** A connection of its own, as XREAD blocks. */
  redis: RedisClient;
  key: string;
  /** Of the same connection. Entries count only when replicas have them: a failover takes others back. */
  barrier?: Barrier;
  onEntry: (entry: StreamEntry) => void;
  /** Entries may have been missed: they were trimmed, or reading begins, perhaps again, at the end of the stream. */
  onGap: () => void;
  logger: Logger;
  /** How long to read on without a user: a pause makes the next one look for what it missed. Default: 10 s. */
  lingerMs?: number;
}

/** Reads the new entries of a stream within milliseconds, while it has users: without any, it costs nothing. */
export class StreamReader {
  readonly #options: Options;
  readonly #running: Promise<void>;
  readonly #users = new Set<symbol>();
  #leftAt = Number.NEGATIVE_INFINITY;
  #used = Promise.withResolvers<void>();
  #last: string | undefined;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    options.redis.on('close', () => {
      this.#last = undefined;
    });
    this.#running = this.#run();
  }

  /** Adds a user, for whom `onGap` is called unless reading goes on. Returns a function that removes it. */
  use(): () => void {
    const user = Symbol();
    this.#users.add(user);
    this.#used.resolve();
    return () => {
      if (this.#users.delete(user)) this.#leftAt = performance.now();
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#used.resolve();
    this.#options.redis.disconnect();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { key, logger, lingerMs = LINGER_MS } = this.#options;
    while (!this.#closed) {
      try {
        if (this.#users.size === 0 && performance.now() - this.#leftAt > lingerMs) await this.#pause();
        else await this.#read();
      } catch (error) {
        if (this.#closed) return;
        if (!(error instanceof NotReplicatedError)) this.#last = undefined;
        const level = isRedisUnavailable(error) ? 'debug' : 'warn';
        logger[level]({ err: error, key }, 'failed to read a stream; retrying');
        await sleep(RETRY_MS);
      }
    }
  }

  async #pause(): Promise<void> {
    this.#last = undefined;
    this.#used = Promise.withResolvers();
    await this.#used.promise;
  }

  async #read(): Promise<void> {
    const { redis, key, barrier, onEntry, onGap } = this.#options;
    const after = this.#last ?? (await this.#begin());
    this.#last = after;
    const found = await redis.xread('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', key, after);
    const entries = (found?.[0]?.[1] ?? []) as StreamEntry[];
    if (entries.length > 0) await barrier?.();
    // Another server may not have what this one had.
    if (this.#closed || this.#last === undefined) return;
    for (const entry of entries) onEntry(entry);
    if (entries.length === BATCH && !(await this.#isKept(after))) onGap();
    const last = entries.at(-1)?.[0];
    if (last === undefined) await this.#checkEnd();
    else if (this.#last !== undefined) this.#last = last;
  }

  /** Whether an entry is still stored: then all later ones are. */
  async #isKept(id: string): Promise<boolean> {
    const { redis, key } = this.#options;
    return (await redis.xrange(key, id, id)).length > 0;
  }

  /** Begins again when the stream ends before what was read, as after FLUSHALL: its numbers start anew. */
  async #checkEnd(): Promise<void> {
    const { redis, key } = this.#options;
    const [end] = await redis.xrevrange(key, '+', '-', 'COUNT', 1);
    if (this.#last !== undefined && numberOf(end?.[0] ?? '0-0') < numberOf(this.#last)) this.#last = undefined;
  }

  async #begin(): Promise<string> {
    const { redis, key, onGap } = this.#options;
    const [end] = await redis.xrevrange(key, '+', '-', 'COUNT', 1);
    onGap();
    return end?.[0] ?? '0-0';
  }
}

/** Listeners by topic. */
export function createTopics<Listener>() {
  const byTopic = new Map<string, Set<Listener>>();
  return {
    /** Adds a listener. Returns a function that removes it. */
    on(topic: string, listener: Listener): () => void {
      const set = byTopic.get(topic) ?? new Set();
      byTopic.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && byTopic.get(topic) === set) byTopic.delete(topic);
      };
    },
    of: (topic: string): Iterable<Listener> => byTopic.get(topic) ?? [],
    /** A copy, so that listeners may be added and removed meanwhile. */
    all: (): Listener[] => [...byTopic.values()].flatMap((set) => [...set]),
    isEmpty: () => byTopic.size === 0,
  };
}
