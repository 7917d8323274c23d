const PER_REQUEST = 0.1;
const PER_SECOND = 1;
const WINDOW_SECONDS = 10;

/**
 * Keeps retries from multiplying the load of a service in trouble: one retry for ten requests, and one a second for services with few
 * requests, both over the last ten seconds (Finagle's `RetryBudget` is the model). What a busy window has earned is there at once: a
 * replica that dies with a hundred requests in flight asks for a hundred at the same moment.
 */
export class RetryBudget {
  /** Since the start, of all kinds. */
  retries = 0;
  /** Of each second of the window, in turn. */
  readonly #requests = new Array<number>(WINDOW_SECONDS).fill(0);
  readonly #taken = new Array<number>(WINDOW_SECONDS).fill(0);
  #second = secondNow();

  countRequest(): void {
    const slot = this.#slot();
    this.#requests[slot] = (this.#requests[slot] as number) + 1;
  }

  /** A retry that multiplies nothing, and so is free. */
  countRetry(): void {
    this.retries++;
  }

  /** Takes one retry, if there is one. */
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
    // What has left the window is cleared, all of it after a long silence.
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
