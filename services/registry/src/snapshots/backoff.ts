const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/** Leaves alone for a while what has failed: 2 s, then twice as long each time, a minute at most. */
export class Backoff {
  #ms = 0;
  #until = 0;

  /** Does nothing during a pause, which begins when `act` gives false or throws. @throws what `act` throws */
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
