/** A measured difference counts for this time; until then only a faster, more exact measurement replaces it. */
const MEASUREMENT_MS = 10_000;
/** After a longer round trip, as while Redis is paused, the error would be too large. */
const MAX_ROUND_TRIP_MS = 500;

/**
 * The time of Redis, which all replicas share: clocks of replicas may differ by seconds, and deadlines must not. The
 * timers measure the difference with each poll (Cristian's algorithm: half of a round trip is its error).
 */
export class Clock {
  #offsetMs = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;
  #measuredAt = Number.NEGATIVE_INFINITY;
  readonly #measured = Promise.withResolvers<void>();

  get isMeasured(): boolean {
    return this.#measuredAt > Number.NEGATIVE_INFINITY;
  }

  /** Resolves when the time is known; until then `now()` is that of this machine. */
  get measured(): Promise<void> {
    return this.#measured.promise;
  }

  /** Redis' time in ms. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** `sentAt` in ms of `performance.now()`; `redisMs` is the reply that has just arrived. */
  observe(redisMs: number, sentAt: number): void {
    const arrived = performance.now();
    const roundTripMs = arrived - sentAt;
    if (roundTripMs > MAX_ROUND_TRIP_MS) return;
    const offsetMs = Math.round(redisMs + roundTripMs / 2 - Date.now());
    const isRecent = arrived - this.#measuredAt < MEASUREMENT_MS;
    // A larger difference means that one of the clocks was set.
    const isWithinError = Math.abs(offsetMs - this.#offsetMs) <= roundTripMs;
    if (isRecent && isWithinError && roundTripMs > this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#measuredAt = arrived;
    this.#offsetMs = offsetMs;
    this.#measured.resolve();
  }
}
