const PER_REQUEST = 0.1;
const PER_SECOND = 1;
const MAX_TOKENS = 50;

/**
 * Keeps retries from multiplying the load of a service in trouble: one retry for ten requests, and one a second for services with
 * few requests; at most 50 are saved up.
 */
export class RetryBudget {
  #tokens = 10;
  #requests = 0;
  #refilledAt = performance.now();

  countRequest(): void {
    this.#requests++;
  }

  /** Takes one retry, if there is one. */
  take(): boolean {
    const now = performance.now();
    const earned = this.#requests * PER_REQUEST + ((now - this.#refilledAt) / 1_000) * PER_SECOND;
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + earned);
    this.#requests = 0;
    this.#refilledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
