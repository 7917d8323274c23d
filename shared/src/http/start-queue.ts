import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WaitingLine } from './waiting-line.ts';

/** The others' requests are read, and find a place or are refused: else those that are held would keep all places for ever. */
const MAX_HELD = 4_000;
/** While connections are held: with few alive at once there is little for the garbage collector to copy. */
const MAX_PER_TURN_HELD = 8;

/**
 * Requests that wait for their start, first come, first served. Those that came together start together, a moment later, after everything has
 * been read: code that has just run runs again from the processor's caches, which saves a sixth of what a proxied request costs
 * (measured). With a bound, the rest waits for the next turn: a process that has begun thousands of them at once needs
 * several times as long for each (measured).
 *
 * While more wait than may start in a turn, a connection whose request starts goes to the end of the line and is held there: nothing is read
 * from it until its turn comes, so that its next request waits in the system's buffer. Read, it would outlive several collections of
 * garbage: with 4,000 clients a request then costs half as much again (measured).
 */
export class StartQueue {
  readonly #start: (res: ServerResponse) => void;
  readonly #maxPerTurn: number;
  readonly #read = new WaitingLine<ServerResponse>();
  readonly #held = new WaitingLine<Socket>();
  /** Requests on connections whose turn has come. */
  readonly #due = new WaitingLine<ServerResponse>();
  /** Connections whose turn came a moment ago. */
  readonly #released = new Set<Socket>();
  /** Since the last turn. */
  #refused = 0;
  /** Since the last turn, without waiting. */
  #atOnce = 0;
  #isTurnDue = false;
  #stopped = false;

  /** `maxPerTurn`: started in one turn of the event loop; default: all. */
  constructor(start: (res: ServerResponse) => void, maxPerTurn = Number.POSITIVE_INFINITY) {
    this.#start = start;
    this.#maxPerTurn = maxPerTurn;
  }

  /** Requests that have been read, and connections that are held. */
  get length(): number {
    return this.#read.length + this.#held.length + this.#due.length;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** How long the first has waited, 0 when none does. */
  get waitMs(): number {
    return Math.max(this.#read.waitMs, this.#held.waitMs);
  }

  add(res: ServerResponse): void {
    const line = this.hasWaited(res.req.socket) ? this.#due : this.#read;
    line.push(res);
    this.#turnLater();
  }

  /** Whether one more may start in this turn without waiting; counts it as started. */
  startsAtOnce(): boolean {
    if (this.#atOnce >= this.#maxPerTurn) return false;
    this.#atOnce++;
    this.#turnLater();
    return true;
  }

  /** Whether a request that was read just now is of a connection whose turn has come, and has waited then. */
  hasWaited(socket: Socket): boolean {
    return this.#released.has(socket);
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
    const isOfIt = ({ req }: ServerResponse) => req.socket === socket;
    for (const res of [...this.#due.remove(isOfIt), ...this.#read.remove(isOfIt)]) if (!res.closed) this.#start(res);
  }

  /** From now on no connection is held: the server is about to close those on which it has read no request. */
  stopHolding(): void {
    this.#stopped = true;
    while (this.#held.length > 0) this.#release();
  }

  #turnLater(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => this.#startTurn());
  }

  #startTurn(): void {
    this.#isTurnDue = false;
    this.#released.clear();
    const isHolding = !this.#stopped && (this.#held.length > 0 || this.#read.length > this.#maxPerTurn);
    const perTurn = isHolding ? Math.min(MAX_PER_TURN_HELD, this.#maxPerTurn) : this.#maxPerTurn;
    const max = perTurn + this.#refused;
    const fromDue = Math.min(max, this.#due.length);
    this.#startSome(this.#due, fromDue, isHolding);
    this.#startSome(this.#read, Math.min(max - fromDue, this.#read.length), isHolding);
    for (let left = perTurn; left > 0 && this.#isNextHeld(); left--) this.#release();
    this.#refused = 0;
    this.#atOnce = 0;
    if (this.length > 0) this.#turnLater();
  }

  #startSome(line: WaitingLine<ServerResponse>, count: number, isHolding: boolean): void {
    for (let left = count; left > 0; left--) {
      const res = line.shift() as ServerResponse;
      // Of one whose client has gone meanwhile nobody would hear the end.
      if (res.closed) continue;
      this.#start(res);
      // Not when it ends: a listener more gives all requests another shape, and makes each a quarter dearer (measured).
      if (isHolding && res.req.complete && this.#held.length < MAX_HELD) this.#hold(res.req.socket);
    }
  }

  #hold(socket: Socket): void {
    socket.pause();
    this.#held.push(socket);
  }

  /** Whether the one that has waited longest is a connection. */
  #isNextHeld(): boolean {
    return this.#held.length > 0 && this.#held.waitMs >= this.#read.waitMs;
  }

  #release(): void {
    const socket = this.#held.shift() as Socket;
    this.#released.add(socket);
    socket.resume();
  }
}
