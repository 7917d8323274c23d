import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may block the event loop. */
const TURN_MS = 2;
/** Steps between two looks at the clock. */
const STEPS = 16;

/** Splits long work over ticks of the event loop: `if (slice.isOver()) await slice.next()` at each small step. */
export class TimeSlice {
  #startedAt = performance.now();
  #steps = 0;

  isOver(): boolean {
    return ++this.#steps % STEPS === 0 && performance.now() - this.#startedAt >= TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#startedAt = performance.now();
  }
}
