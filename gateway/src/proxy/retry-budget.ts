const PER_REQUEST = 0.1;
const PER_SECOND = 1;
const WINDOW_SECONDS = 10;

/**
 * Keeps retries from multiplying the load of an overloaded service: one retry per ten requests, plus one per second for
 * services with few requests, both over the last ten seconds (modelled on Finagle's `RetryBudget`). The budget of the
 * window may be spent at once: a replica that dies with a hundred requests in flight needs a hundred retries.
 */
export class RetryBudget {
  /** All retries since the start, with those that add no load and do not use the budget. */
  retries = 0;
  /** Ring buffers with one slot per second of the window. */
  readonly #requests = new Array<number>(WINDOW_SECONDS).fill(0);
  readonly #taken = new Array<number>(WINDOW_SECONDS).fill(0);
  #second = secondNow();

  countRequest(): void {
    const slot = this.#slot();
    this.#requests[slot] = (this.#requests[slot] as number) + 1;
  }

  /** Takes one retry; false when the budget is used up. */
  take(): boolean {
    const slot = this.#slot();
    const earned = sum(this.#requests) * PER_REQUEST + WINDOW_SECONDS * PER_SECOND;
    if (earned - sum(this.#taken) < 1) return false;
    this.#taken[slot] = (this.#taken[slot] as number) + 1;
    this.retries++;
    return true;
  }

  #slot(): number {
    const second = secondNow();
    // Clears the slots that have left the window; all of them after a long pause.
    for (let passed = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1); passed <= second; passed++) {
      this.#requests[passed % WINDOW_SECONDS] = 0;
      this.#taken[passed % WINDOW_SECONDS] = 0;
    }
    this.#second = second;
    return second % WINDOW_SECONDS;
  }
}

function secondNow(): number {
  return Math.floor(performance.now() / 1_000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
