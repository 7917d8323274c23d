import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Served items that may stay in the list: removing them costs as much as there are waiting items. */
const MAX_SERVED_KEPT = 1_024;
/** Requests on other connections are still read: otherwise paused connections would fill the queue forever. */
const MAX_PAUSED = 4_000;
/** Per tick while connections are paused: with few requests alive at once the garbage collector has little to copy. */
const MAX_PER_TICK_WHILE_PAUSED = 8;

/**
 * Queues requests until they start, first come, first served. The requests of one tick (a turn of the event loop) start
 * together at its end, as with `batchPerTick`, but at most `maxPerTick` of them; the others wait for the next tick. A
 * process that starts thousands of requests at once needs several times as long for each (measured).
 *
 * While more requests wait than may start in a tick, the connection of each request that starts is paused and queued
 * itself: its next request stays in the kernel's buffer until its turn. If it were read, it would survive several
 * garbage collections, which makes a request 50 % more expensive with 4,000 clients (measured).
 */
export class AdmissionQueue {
  readonly #start: (res: ServerResponse) => void;
  readonly #maxPerTick: number;
  readonly #requests = new TimedQueue<ServerResponse>();
  readonly #paused = new TimedQueue<Socket>();
  /** Requests on connections that have waited while they were paused. */
  readonly #due = new TimedQueue<ServerResponse>();
  /** Connections resumed in the last tick. */
  readonly #resumed = new Set<Socket>();
  /** Requests refused since the last tick. */
  #refused = 0;
  #isTickScheduled = false;
  #isPausingAllowed = true;

  constructor(start: (res: ServerResponse) => void, maxPerTick: number) {
    this.#start = start;
    this.#maxPerTick = maxPerTick;
  }

  /** The number of waiting requests and paused connections. */
  get length(): number {
    return this.#requests.length + this.#paused.length + this.#due.length;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** How long the first entry has waited; 0 when the queue is empty. */
  get waitMs(): number {
    return Math.max(this.#requests.waitMs, this.#paused.waitMs);
  }

  add(res: ServerResponse): void {
    const queue = this.hasWaited(res.req.socket) ? this.#due : this.#requests;
    queue.push(res);
    this.#scheduleTick();
  }

  /** Whether a connection was paused and has just been resumed: the request just read from it has waited there. */
  hasWaited(socket: Socket): boolean {
    return this.#resumed.has(socket);
  }

  /** Counts a refused request: one more starts in the next tick, so that refusals do not starve admitted requests. */
  countRefusal(): void {
    this.#refused++;
  }

  /**
   * Starts the waiting requests of one connection at once, and no others: anybody can make a connection fail. Drops one
   * whose body has not been read whole.
   */
  flush(socket: Socket): void {
    const isOfSocket = ({ req }: ServerResponse) => req.socket === socket;
    for (const res of [...this.#due.remove(isOfSocket), ...this.#requests.remove(isOfSocket)]) {
      if (!res.closed && res.req.complete) this.#start(res);
    }
  }

  /** Resumes all connections and pauses none from now on: the server is about to close those without a request. */
  stopPausing(): void {
    this.#isPausingAllowed = false;
    while (this.#paused.length > 0) this.#resumeNext();
  }

  #scheduleTick(): void {
    if (this.#isTickScheduled) return;
    this.#isTickScheduled = true;
    setImmediate(() => this.#runTick());
  }

  #runTick(): void {
    this.#isTickScheduled = false;
    this.#resumed.clear();
    const isPausing = this.#isPausingAllowed && (this.#paused.length > 0 || this.#requests.length > this.#maxPerTick);
    const perTick = isPausing ? Math.min(MAX_PER_TICK_WHILE_PAUSED, this.#maxPerTick) : this.#maxPerTick;
    const max = perTick + this.#refused;
    const fromDue = Math.min(max, this.#due.length);
    this.#startSome(this.#due, fromDue, isPausing);
    this.#startSome(this.#requests, Math.min(max - fromDue, this.#requests.length), isPausing);
    for (let left = perTick; left > 0 && this.#isConnectionNext(); left--) this.#resumeNext();
    this.#refused = 0;
    if (this.length > 0) this.#scheduleTick();
  }

  #startSome(queue: TimedQueue<ServerResponse>, count: number, isPausing: boolean): void {
    for (let left = count; left > 0; left--) {
      const res = queue.shift() as ServerResponse;
      // The end of a request whose client has already disconnected would not be noticed.
      if (res.closed) continue;
      this.#start(res);
      // Not when it ends: one more listener changes the hidden class of all requests, which makes each 25 % more
      // expensive (measured).
      if (isPausing && res.req.complete && this.#paused.length < MAX_PAUSED) this.#pause(res.req.socket);
    }
  }

  #pause(socket: Socket): void {
    socket.pause();
    this.#paused.push(socket);
  }

  /** Whether a connection has waited longer than every request. */
  #isConnectionNext(): boolean {
    return this.#paused.length > 0 && this.#paused.waitMs >= this.#requests.waitMs;
  }

  #resumeNext(): void {
    const socket = this.#paused.shift() as Socket;
    this.#resumed.add(socket);
    socket.resume();
  }
}

/** A first in, first out queue that reports how long its head has waited. */
class TimedQueue<Item> {
  readonly #items: Item[] = [];
  readonly #addedAtMs: number[] = [];
  /** Index of the first waiting item. */
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** How long the first item has waited; 0 when the queue is empty. */
  get waitMs(): number {
    const addedAtMs = this.#addedAtMs[this.#head];
    return addedAtMs === undefined ? 0 : performance.now() - addedAtMs;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#addedAtMs.push(performance.now());
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head++];
    if (this.length === 0 || this.#head >= MAX_SERVED_KEPT) this.#dropServed();
    return item;
  }

  /** Removes and returns the items that match, in order. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (let at = this.#items.length - 1; at >= this.#head; at--) {
      const item = this.#items[at] as Item;
      if (!matches(item)) continue;
      removed.unshift(item);
      this.#items.splice(at, 1);
      this.#addedAtMs.splice(at, 1);
    }
    return removed;
  }

  #dropServed(): void {
    this.#items.splice(0, this.#head);
    this.#addedAtMs.splice(0, this.#head);
    this.#head = 0;
  }
}
