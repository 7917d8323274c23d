import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may block the event loop. */
const TURN_MS = 2;

/** Splits long work over ticks of the event loop: `if (slice.isOver()) await slice.next()` every few dozen steps. */
export class TimeSlice {
  #startedAt = performance.now();

  isOver(): boolean {
    return performance.now() - this.#startedAt >= TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#startedAt = performance.now();
  }
}
