import { backoffMs } from './backoff.ts';
import { BatchCollector } from './batch-collector.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { Batch } from './messages.ts';
import { findNextEvent, isSignedOut } from './probes.ts';

/** What was missed for longer is not worth sending again: lists are read anew. */
export const MAX_GAP_MS = 180_000;
const OPEN_TIMEOUT_MS = 15_000;
const SLOW_OPEN_MS = 1_000;
/** A connection that breaks sooner counts as one more failure. */
const STABLE_MS = 10_000;
/** `EventSource` hides comments: a connection without events is checked. */
const SILENT_MS = 30_000;
const LATE_MS = 2_000;

export interface StreamHandlers {
  onBatch: (batch: Batch) => void;
  /** It is open, or not open any more. */
  onState: (state: 'live' | 'reconnecting') => void;
  /** It has opened without knowing where it was: events may have been missed. */
  onMissed: () => void;
  onSignedOut: () => void;
}

/**
 * The event stream of the fleet after an event, or with new events only. It is opened again after the last event
 * whenever it breaks, is refused or turns out to be dead. `tick` drives it: call it about once a second.
 */
export class EventStream {
  readonly #handlers: StreamHandlers;
  readonly #batches: BatchCollector;
  #source: EventSource | undefined;
  #isOpen = false;
  /** When it was opened or began to open. */
  #changedAt = 0;
  /** By the clock, as all times here, which goes on while the computer sleeps. */
  #heardAt = Date.now();
  #failures = 0;
  #retryAt = 0;
  #isProbing = false;
  #isClosed = false;
  /** An event that exists but has not come. */
  #late: { id: number; at: number } | undefined;

  /** `isTakeover`: another tab had the stream. It may have ended with the session, before its message has come. */
  constructor(after: number | undefined, handlers: StreamHandlers, isTakeover = false) {
    this.#handlers = handlers;
    this.#batches = new BatchCollector(after, handlers.onBatch);
    if (isTakeover) this.#probe(() => this.#retry());
    else this.reopen();
  }

  /** Replaces a connection that may be dead without an error, as after sleep. */
  reopen(): void {
    this.#source?.close();
    if (Date.now() - this.#heardAt > MAX_GAP_MS) this.#batches.restart();
    const { last } = this.#batches;
    const source = new EventSource(last === undefined ? '/events' : `/events?after=${last}`);
    source.onopen = () => this.#onOpen(last !== undefined);
    source.onerror = () => this.#fail();
    for (const type of EVENT_TYPES) source.addEventListener(type, (event) => this.#onEvent(event));
    this.#source = source;
    this.#isOpen = false;
    this.#changedAt = Date.now();
  }

  tick(): void {
    const now = Date.now();
    const inStateMs = now - this.#changedAt;
    if (!this.#source) {
      if (now >= this.#retryAt) this.#probe(() => this.#retry());
    } else if (!this.#isOpen) {
      if (inStateMs > OPEN_TIMEOUT_MS) this.#fail();
      else if (inStateMs > SLOW_OPEN_MS) this.#handlers.onState('reconnecting');
    } else {
      if (inStateMs > STABLE_MS) this.#failures = 0;
      this.#tickOpen(now);
    }
  }

  /** Passes on the events that wait for their batch. */
  flush(): void {
    this.#batches.flush();
  }

  close(): void {
    this.#isClosed = true;
    this.#source?.close();
    this.flush();
  }

  #onOpen(isResumed: boolean): void {
    this.#isOpen = true;
    this.#changedAt = Date.now();
    this.#heardAt = this.#changedAt;
    this.#late = undefined;
    if (!isResumed) this.#handlers.onMissed();
    this.#handlers.onState('live');
  }

  #onEvent({ type, lastEventId, data }: MessageEvent<string>): void {
    this.#heardAt = Date.now();
    if (type === 'resync') {
      // All that is kept would follow, up to 100,000 events.
      this.#batches.restart();
      this.#fail();
    } else {
      this.#batches.add(Number(lastEventId), data);
    }
  }

  #fail(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#isOpen = false;
    this.#failures += 1;
    this.#retryAt = Date.now() + backoffMs(this.#failures);
    this.flush();
    this.#handlers.onState('reconnecting');
  }

  #tickOpen(now: number): void {
    if (this.#late && !this.#isAhead(this.#late.id)) this.#late = undefined;
    if (this.#late) {
      if (now - this.#late.at > LATE_MS) this.#fail();
    } else if (now - this.#heardAt > SILENT_MS) {
      this.#probe(() => this.#check());
    }
  }

  /** One probe at a time; a failed one is a failure of the stream. */
  #probe(run: () => Promise<void>): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const source = this.#source;
    run()
      .catch(() => {
        if (!this.#isClosed && this.#source === source) this.#fail();
      })
      .finally(() => {
        this.#isProbing = false;
      });
  }

  async #retry(): Promise<void> {
    const isOver = await isSignedOut();
    if (this.#isClosed || this.#source) return;
    if (isOver) this.#handlers.onSignedOut();
    else this.reopen();
  }

  async #check(): Promise<void> {
    const next = await findNextEvent(this.#batches.last);
    if (next !== undefined && this.#isAhead(next)) this.#late = { id: next, at: Date.now() };
    else this.#heardAt = Date.now();
  }

  #isAhead(id: number): boolean {
    const { last } = this.#batches;
    return last !== undefined && id > last;
  }
}
