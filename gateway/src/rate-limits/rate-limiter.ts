import { LRUCache } from 'lru-cache';
import { type RateLimitPolicy, type RateLimitStore, type Told, WINDOW_MS } from './rate-limit-store.ts';

const MAX_BUCKETS = 20_000;
/** Below this, each request is counted by Redis itself, so that a limit is exact where it is near. */
const EXACT_BELOW = 1_024;
/** At most this part of what is left is taken ahead. */
const AHEAD = 1 / 64;
/** What was taken ahead and not used by then is given back. */
const AHEAD_MS = 1_000;
const GIVE_BACK_EVERY_MS = 250;

/** What came of a request to a limit. */
export interface Grant {
  allowed: boolean;
  policy: RateLimitPolicy;
  remaining: number;
  /** Until the whole quota is there again. */
  fullInMs: number;
  /** Until the next one is there; for one that is not allowed. */
  nextInMs: number;
}

/** What this process knows of one who has the limit. */
interface Bucket {
  id: string;
  /** Taken ahead from Redis, which counts them as used. */
  ahead: number;
  aheadUntilMs: number;
  /** In Redis, beside those. */
  remaining: number;
  fullAtMs: number;
  /** By then nothing comes back, whoever asks. */
  refusedUntilMs: number;
  /** Requests since Redis was asked last. */
  demand: number;
  waiting: ((grant: Grant) => void)[];
}

/**
 * One policy for all processes, counted in Redis. Requests of one turn of the event loop are counted by one call. As long as much is left, some
 * are taken ahead, as many as came since the last call and at most a sixty-fourth of what is left: a busy client then costs
 * a call now and then, an idle one nothing, and no process ever lets through what it has not taken. While Redis is away each process counts
 * for itself, from what it knew last.
 */
export class RateLimiter {
  readonly policy: RateLimitPolicy;
  /** Requests that were not let through. */
  refused = 0;
  readonly #store: RateLimitStore;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });
  readonly #holding = new Set<Bucket>();
  readonly #givingBack: NodeJS.Timeout;

  constructor(policy: RateLimitPolicy, store: RateLimitStore) {
    this.policy = policy;
    this.#store = store;
    this.#givingBack = setInterval(() => this.#giveBack(), GIVE_BACK_EVERY_MS).unref();
  }

  /** Counts one request; a promise only where Redis is asked. Never rejects. */
  take(id: string): Grant | Promise<Grant> {
    const bucket = this.#bucketOf(id);
    const nowMs = Date.now();
    if (bucket.refusedUntilMs > nowMs) return this.#refuse(bucket, nowMs);
    bucket.demand++;
    if (bucket.ahead > 0 && nowMs < bucket.aheadUntilMs) {
      bucket.ahead--;
      return this.#allow(bucket, nowMs);
    }
    if (this.#store.isLocal) {
      // Nobody waits for what most likely does not come.
      if (!this.#store.isAway) void this.#store.take(this.policy, id, 0);
      return this.#takeHere(bucket, nowMs);
    }
    return new Promise((resolve) => {
      if (bucket.waiting.push(resolve) === 1) queueMicrotask(() => void this.#ask(bucket));
    });
  }

  /** Whether a request would be refused, as far as this process knows; then `take` answers at once. */
  isExhausted(id: string): boolean {
    return (this.#buckets.peek(id)?.refusedUntilMs ?? 0) > Date.now();
  }

  close(): void {
    clearInterval(this.#givingBack);
  }

  async #ask(bucket: Bucket): Promise<void> {
    const { waiting, demand } = bucket;
    const ahead = bucket.remaining < EXACT_BELOW ? 0 : Math.min(demand, Math.floor(bucket.remaining * AHEAD));
    bucket.waiting = [];
    bucket.demand = 0;
    const told = await this.#store.take(this.policy, bucket.id, waiting.length + ahead);
    const nowMs = Date.now();
    if (told) this.#learn(bucket, told, waiting.length, nowMs);
    for (const [at, resolve] of waiting.entries()) {
      if (!told) resolve(this.#takeHere(bucket, nowMs));
      else resolve(at < told.granted ? this.#allow(bucket, nowMs) : this.#refuse(bucket, nowMs));
    }
  }

  #learn(bucket: Bucket, { granted, remaining, fullInMs, nextInMs }: Told, wanted: number, nowMs: number): void {
    bucket.remaining = remaining;
    bucket.fullAtMs = nowMs + fullInMs;
    if (granted < wanted) bucket.refusedUntilMs = nowMs + nextInMs;
    if (granted <= wanted) return;
    bucket.ahead += granted - wanted;
    bucket.aheadUntilMs = nowMs + AHEAD_MS;
    this.#holding.add(bucket);
  }

  /** The same algorithm as the script's, on what is known here. */
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

  #giveBack(): void {
    const nowMs = Date.now();
    for (const bucket of this.#holding) {
      if (nowMs < bucket.aheadUntilMs) continue;
      this.#holding.delete(bucket);
      const { ahead } = bucket;
      bucket.ahead = 0;
      if (ahead > 0) void this.#store.take(this.policy, bucket.id, -ahead);
    }
  }
}
