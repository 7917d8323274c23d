const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

/** Leaves alone for a while what has failed: 2 s, then twice as long each time, a minute at most. */
export class RetryPause {
  #ms = 0;
  #until = 0;

  /** Does nothing during a pause. @throws what `act` throws: a pause has begun */
  async attempt(act: () => Promise<void>): Promise<void> {
    if (performance.now() < this.#until) return;
    try {
      await act();
      this.#ms = 0;
    } catch (error) {
      this.#ms = Math.min(Math.max(FIRST_MS, 2 * this.#ms), LONGEST_MS);
      this.#until = performance.now() + this.#ms;
      throw error;
    }
  }
}
