import type { Batch } from './messages.ts';
import { soon } from './schedule.ts';

const MAX_EVENTS = 1_000;
const MAX_CHARACTERS = 1024 * 1024;

/** Makes batches of the events of a stream that follow `after`: one within a frame, or more when they are many. */
export class BatchCollector {
  /** The id of the last event. Undefined when none is known. */
  last: number | undefined;
  readonly #onBatch: (batch: Batch) => void;
  #flushed: number | undefined;
  #events: string[] = [];
  #characters = 0;
  #isScheduled = false;

  constructor(after: number | undefined, onBatch: (batch: Batch) => void) {
    this.last = after;
    this.#flushed = after;
    this.#onBatch = onBatch;
  }

  add(id: number, json: string): void {
    this.last = id;
    this.#events.push(json);
    this.#characters += json.length;
    if (this.#events.length >= MAX_EVENTS || this.#characters > MAX_CHARACTERS) this.flush();
    else this.#flushSoon();
  }

  flush(): void {
    const events = this.#events;
    if (events.length === 0 || this.last === undefined) return;
    const batch = { after: this.#flushed, last: this.last, count: events.length, json: `[${events.join(',')}]` };
    this.#events = [];
    this.#characters = 0;
    this.#flushed = this.last;
    this.#onBatch(batch);
  }

  /** What follows is no continuation. */
  restart(): void {
    this.flush();
    this.#flushed = undefined;
    this.last = undefined;
  }

  #flushSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    soon(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
