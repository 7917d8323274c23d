import { LRUCache } from 'lru-cache';
import { type RateLimitPolicy, type RateLimitStore, type Reply, WINDOW_MS } from './rate-limit-store.ts';

const MAX_BUCKETS = 20_000;
/** With fewer requests left, Redis counts each of them, so that the limit is exact. */
const EXACT_BELOW = 1_024;
/** The largest part of the remaining requests that is taken ahead. */
const AHEAD = 1 / 64;
/** Requests taken ahead and not used by then are returned. */
const AHEAD_MS = 1_000;
const RETURN_EVERY_MS = 250;

/** The decision about one request. */
export interface Grant {
  allowed: boolean;
  policy: RateLimitPolicy;
  remaining: number;
  /** Until the whole quota is available again. */
  fullInMs: number;
  /** Until the next request is allowed; for a refused request. */
  nextInMs: number;
}

/** The state of one id's limit in this process; times are of the monotonic clock. */
interface Bucket {
  id: string;
  /** Requests taken ahead; Redis counts them as used. */
  ahead: number;
  aheadUntilMs: number;
  /** Remaining in Redis, without those. */
  remaining: number;
  fullAtMs: number;
  /** No request is allowed until then. */
  refusedUntilMs: number;
  /** Requests since the last call to Redis. */
  demand: number;
  waiting: ((grant: Grant) => void)[];
}

/**
 * Applies one policy across all processes, which count together in Redis. The requests of one tick share one call.
 * While many requests remain, some are taken ahead: as many as came since the last call, at most 1/64 of the remaining
 * ones. A busy client then needs few calls, and no process allows a request that it has not taken. While Redis is
 * unavailable, each process counts by itself, from the last known state.
 */
export class RateLimiter {
  readonly policy: RateLimitPolicy;
  /** The number of refused requests. */
  refused = 0;
  readonly #store: RateLimitStore;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  readonly #holding = new Set<Bucket>();
  readonly #returning: NodeJS.Timeout;

  constructor(policy: RateLimitPolicy, store: RateLimitStore) {
    this.policy = policy;
    this.#store = store;
    this.#returning = setInterval(() => this.#returnUnused(), RETURN_EVERY_MS).unref();
  }

  /** Counts one request; a promise only when Redis is called. Never rejects. */
  take(id: string): Grant | Promise<Grant> {
    const bucket = this.#bucketOf(id);
    const nowMs = performance.now();
    if (bucket.refusedUntilMs > nowMs) return this.#refuse(bucket, nowMs);
    bucket.demand++;
    if (bucket.ahead > 0 && nowMs < bucket.aheadUntilMs) {
      bucket.ahead--;
      return this.#allow(bucket, nowMs);
    }
    if (this.#store.isLocal) {
      // Not awaited: it will most likely fail.
      if (!this.#store.isUnavailable) void this.#store.take(this.policy, id, 0);
      return this.#takeHere(bucket, nowMs);
    }
    return new Promise((resolve) => {
      if (bucket.waiting.push(resolve) === 1) queueMicrotask(() => void this.#takeFromRedis(bucket));
    });
  }

  /** Whether `take` would refuse a request by the state of this process, without a call to Redis. */
  isExhausted(id: string): boolean {
    return (this.#buckets.peek(id)?.refusedUntilMs ?? 0) > performance.now();
  }

  close(): void {
    clearInterval(this.#returning);
  }

  async #takeFromRedis(bucket: Bucket): Promise<void> {
    const { waiting, demand } = bucket;
    const ahead = bucket.remaining < EXACT_BELOW ? 0 : Math.min(demand, Math.floor(bucket.remaining * AHEAD));
    bucket.waiting = [];
    bucket.demand = 0;
    const reply = await this.#store.take(this.policy, bucket.id, waiting.length + ahead);
    const nowMs = performance.now();
    if (reply) this.#update(bucket, reply, waiting.length, nowMs);
    for (const [at, resolve] of waiting.entries()) {
      if (!reply) resolve(this.#takeHere(bucket, nowMs));
      else resolve(at < reply.granted ? this.#allow(bucket, nowMs) : this.#refuse(bucket, nowMs));
    }
  }

  #update(bucket: Bucket, { granted, remaining, fullInMs, nextInMs }: Reply, wanted: number, nowMs: number): void {
    bucket.remaining = remaining;
    bucket.fullAtMs = nowMs + fullInMs;
    if (granted < wanted) bucket.refusedUntilMs = nowMs + nextInMs;
    if (granted <= wanted) return;
    bucket.ahead += granted - wanted;
    bucket.aheadUntilMs = nowMs + AHEAD_MS;
    this.#holding.add(bucket);
  }

  /** The algorithm of the script (GCRA) on the state of this process. */
  #takeHere(bucket: Bucket, nowMs: number): Grant {
    const eachMs = WINDOW_MS / this.policy.quota;
    const arrivalMs = Math.max(bucket.fullAtMs, nowMs) + eachMs;
    const overMs = arrivalMs - nowMs - WINDOW_MS;
    if (overMs > 0) {
      bucket.refusedUntilMs = nowMs + overMs;
      return this.#refuse(bucket, nowMs);
    }
    bucket.fullAtMs = arrivalMs;
    bucket.remaining = Math.floor(-overMs / eachMs);
    return this.#allow(bucket, nowMs);
  }

  #allow({ remaining, ahead, fullAtMs }: Bucket, nowMs: number): Grant {
    const fullInMs = Math.max(fullAtMs - nowMs, 0);
    return { allowed: true, policy: this.policy, remaining: remaining + ahead, fullInMs, nextInMs: 0 };
  }

  #refuse({ fullAtMs, refusedUntilMs }: Bucket, nowMs: number): Grant {
    this.refused++;
    const nextInMs = Math.max(refusedUntilMs - nowMs, 0);
    return { allowed: false, policy: this.policy, remaining: 0, fullInMs: Math.max(fullAtMs - nowMs, 0), nextInMs };
  }

  #bucketOf(id: string): Bucket {
    const known = this.#buckets.get(id);
    if (known) return known;
    const none = { ahead: 0, aheadUntilMs: 0, remaining: 0, fullAtMs: 0, refusedUntilMs: 0, demand: 0 };
    const bucket: Bucket = { id, ...none, waiting: [] };
    this.#buckets.set(id, bucket);
    return bucket;
  }

  #returnUnused(): void {
    const nowMs = performance.now();
    for (const bucket of this.#holding) {
      if (nowMs < bucket.aheadUntilMs) continue;
      this.#holding.delete(bucket);
      const { ahead } = bucket;
      bucket.ahead = 0;
      if (ahead > 0) void this.#store.take(this.policy, bucket.id, -ahead);
    }
  }
}
