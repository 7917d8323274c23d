import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Before they are moved out of the list, which costs as much as those that wait. */
const MAX_STARTED_KEPT = 1_024;

/**
 * Requests that wait for their start, first come, first served. Those that came together start together, a moment later, after everything has
 * been read: code that has just run runs again from the processor's caches, which saves a sixth of what a proxied request costs
 * (measured). With a bound, the rest waits for the next turn: a process that has begun thousands of them at once needs
 * several times as long for each (measured).
 */
export class StartQueue {
  readonly #start: (res: ServerResponse) => void;
  readonly #maxPerTurn: number;
  #waiting: ServerResponse[] = [];
  /** When each of them came. */
  #sinceMs: number[] = [];
  /** Of the first that waits. */
  #head = 0;
  /** Since the last turn. */
  #refused = 0;
  /** Since the last turn, without waiting. */
  #atOnce = 0;
  #isTurnDue = false;

  /** `maxPerTurn`: started in one turn of the event loop; default: all. */
  constructor(start: (res: ServerResponse) => void, maxPerTurn = Number.POSITIVE_INFINITY) {
    this.#start = start;
    this.#maxPerTurn = maxPerTurn;
  }

  get length(): number {
    return this.#waiting.length - this.#head;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** How long the first has waited, 0 when none does. */
  get waitMs(): number {
    const since = this.#sinceMs[this.#head];
    return since === undefined ? 0 : performance.now() - since;
  }

  add(res: ServerResponse): void {
    this.#sinceMs.push(performance.now());
    this.#waiting.push(res);
    this.#turnLater();
  }

  /** Whether one more may start in this turn without waiting; counts it as started. */
  startsAtOnce(): boolean {
    if (this.#atOnce >= this.#maxPerTurn) return false;
    this.#atOnce++;
    this.#turnLater();
    return true;
  }

  /**
   * To be told of a request that was refused for those that wait: one more of them starts in the next turn, or a flood of refusals would take
   * all its time.
   */
  refused(): void {
    this.#refused++;
  }

  /** Starts those of one connection at once, and no others: anybody can make a connection fail. */
  flush(socket: Socket): void {
    for (let at = this.#waiting.length - 1; at >= this.#head; at--) {
      const res = this.#waiting[at] as ServerResponse;
      if (res.req.socket !== socket) continue;
      this.#waiting.splice(at, 1);
      this.#sinceMs.splice(at, 1);
      if (!res.closed) this.#start(res);
    }
    if (this.#head === this.#waiting.length) this.#forgetStarted();
  }

  #turnLater(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#startTurn());
  }

  #startTurn(): void {
    this.#isTurnDue = false;
    this.#startSome(this.#maxPerTurn + this.#refused);
    this.#refused = 0;
    this.#atOnce = 0;
    if (this.length > 0) this.#turnLater();
  }

  #startSome(max: number): void {
    const end = Math.min(this.#head + max, this.#waiting.length);
    while (this.#head < end) {
      const res = this.#waiting[this.#head++] as ServerResponse;
      // Of one whose client has gone meanwhile nobody would hear the end.
      if (!res.closed) this.#start(res);
    }
    if (this.#head === this.#waiting.length || this.#head >= MAX_STARTED_KEPT) this.#forgetStarted();
  }

  #forgetStarted(): void {
    this.#waiting.splice(0, this.#head);
    this.#sinceMs.splice(0, this.#head);
    this.#head = 0;
  }
}
