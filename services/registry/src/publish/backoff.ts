const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/** Exponential backoff: pauses for 2 s after a failure, doubled each time, at most a minute. */
export class Backoff {
  #ms = 0;
  #until = 0;

  /** Does nothing during a pause. A pause begins when `act` returns false or throws. @throws what `act` throws */
  async attempt(act: () => Promise<boolean>): Promise<void> {
    if (performance.now() < this.#until) return;
    let isDone = false;
    try {
      isDone = await act();
    } finally {
      this.#ms = isDone ? 0 : Math.min(Math.max(FIRST_MS, 2 * this.#ms), LONGEST_MS);
      this.#until = performance.now() + this.#ms;
    }
  }
}
