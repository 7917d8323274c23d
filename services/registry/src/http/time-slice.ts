import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may go on before others get their turn. */
const TURN_MS = 2;

/** Cuts long work into turns of the event loop: `if (slice.isOver()) await slice.next()`, asked every few dozen steps. */
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
