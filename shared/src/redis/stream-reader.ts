import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import type { RedisClient } from './connection.ts';
import { isRedisUnavailable, NotReplicatedError } from './errors.ts';
import type { Barrier } from './replicated-writes.ts';

/** An entry of a stream, as Redis lists it. */
export type StreamEntry = [id: string, fields: string[]];

/** The number of an entry whose id is `<number>-0`. */
export function numberOf(id: string): number {
  return Number.parseInt(id, 10);
}

const BLOCK_MS = 1_000;
/** At most as many entries as a stream keeps: a read of fewer has missed none. */
const BATCH = 1_000;
const RETRY_MS = 100;
const LINGER_MS = 10_000;

interface Options {
  /** A connection of its own, as XREAD blocks. */
  redis: RedisClient;
  key: string;
  /** Of the same connection. Entries count only when replicas have them: a failover takes others back. */
  barrier?: Barrier;
  onEntry: (entry: StreamEntry) => void;
  /**
   * Entries may have been missed: they were trimmed, or reading begins, perhaps again, at the end of the stream. `last`
   * is the entry before the next one.
   */
  onGap: (last: string) => void;
  /** All entries that there were at a time of `performance.now()` are known. */
  onCurrent?: (atMs: number) => void;
  /** How long a read waits for an entry, in ms. Default: 1 s. */
  blockMs?: number;
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

  /** Begins anew at the end of the stream. */
  restart(): void {
    this.#last = undefined;
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
    const { redis, key, barrier, onEntry, onGap, onCurrent, blockMs = BLOCK_MS } = this.#options;
    const after = this.#last ?? (await this.#begin());
    this.#last = after;
    const askedAtMs = performance.now();
    const found = await redis.xread('COUNT', BATCH, 'BLOCK', blockMs, 'STREAMS', key, after);
    const entries = (found?.[0]?.[1] ?? []) as StreamEntry[];
    if (entries.length > 0) await barrier?.();
    // Another server may not have what this one had.
    if (this.#closed || this.#last === undefined) return;
    for (const entry of entries) onEntry(entry);
    const last = entries.at(-1)?.[0];
    if (entries.length === BATCH && !(await this.#isKept(after))) onGap(last as string);
    if (last === undefined) await this.#checkEnd();
    else if (this.#last !== undefined) this.#last = last;
    if (this.#last !== undefined) onCurrent?.(askedAtMs);
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
    const { redis, key, onGap, onCurrent } = this.#options;
    const askedAtMs = performance.now();
    const [end] = await redis.xrevrange(key, '+', '-', 'COUNT', 1);
    const last = end?.[0] ?? '0-0';
    onGap(last);
    onCurrent?.(askedAtMs);
    return last;
  }
}
