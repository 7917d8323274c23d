import type { EventQueue } from './event-queue.ts';
import { EventStream, type StreamHandlers } from './event-stream.ts';
import { joinElection } from './leadership.ts';
import { listenTo } from './listen-to.ts';
import type { LiveTab, TabHandlers } from './live-tab.ts';
import type { LiveState, Message } from './messages.ts';

const CHANNEL = 'fleet-live';
const TICK_MS = 1_000;
/** How often a visible tab asks whether the leader is alive. */
const ASK_EVERY_MS = 15_000;
const ANSWER_TIMEOUT_MS = 3_000;
/** The computer may have slept: the connection may be dead without an error. */
const LONG_HIDDEN_MS = 45_000;

export function openSharedTab(queue: EventQueue, handlers: TabHandlers): LiveTab {
  return new SharedTab(queue, handlers);
}

/** One of all tabs of the browser. The leader has the event stream, and passes on to the others what it gets. */
class SharedTab {
  readonly #queue: EventQueue;
  readonly #handlers: TabHandlers;
  readonly #channel = new BroadcastChannel(CHANNEL);
  readonly #election = joinElection({ onLead: () => this.#lead(), onLose: () => this.#follow() });
  readonly #ignore = listenTo({ onVisibility: () => this.#onVisibility(), onOnline: () => this.#onOnline() });
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);
  /** Of the leader. */
  #stream: EventStream | undefined;
  #state: LiveState = 'connecting';
  #hasJoined = false;
  /** Whether the page has loaded its lists without knowing after which event. */
  readonly #isNew: boolean;
  #hiddenAt = Date.now();
  #askedAt = 0;
  #isAsking = false;

  constructor(queue: EventQueue, handlers: TabHandlers) {
    this.#queue = queue;
    this.#isNew = queue.last === undefined;
    this.#handlers = handlers;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    this.#post({ kind: 'hello' });
  }

  close(): void {
    this.#follow();
    this.#election.leave();
    this.#ignore();
    clearInterval(this.#timer);
    this.#channel.close();
  }

  #lead(): void {
    const isTakeover = this.#hasJoined;
    this.#hasJoined = true;
    const handlers: StreamHandlers = {
      onBatch: (batch) => {
        this.#queue.push(batch);
        this.#post({ kind: 'events', batch });
      },
      onState: (state) => this.#setState(state),
      onMissed: () => {
        this.#queue.restart();
        this.#post({ kind: 'missed' });
      },
      onSignedOut: () => this.#handlers.onSignedOut(),
    };
    this.#stream = new EventStream(this.#queue.settled, handlers, isTakeover);
  }

  #follow(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #post(message: Message): void {
    this.#channel.postMessage(message);
  }

  #postState(): void {
    this.#post({ kind: 'state', state: this.#state, last: this.#queue.last });
  }

  #setState(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.onState(state);
    if (this.#stream) this.#postState();
  }

  #hear(message: Message): void {
    if (this.#stream) {
      if (message.kind === 'hello') this.#answer(this.#stream);
    } else if (message.kind === 'events') this.#queue.push(message.batch);
    else if (message.kind === 'missed') this.#queue.restart();
    else if (message.kind === 'state') this.#hearState(message.state, message.last);
  }

  #answer(stream: EventStream): void {
    stream.flush();
    // Its own timer may be late in a hidden tab.
    stream.tick();
    this.#postState();
  }

  #hearState(state: LiveState, last: number | undefined): void {
    this.#isAsking = false;
    this.#setState(state);
    // What the page has loaded so far may be older than the first message, be it this one or one with events.
    if (!this.#hasJoined && this.#isNew) this.#queue.restart();
    this.#hasJoined = true;
    if (last !== undefined) this.#queue.moveTo(last);
  }

  #tick(): void {
    if (this.#stream) this.#stream.tick();
    else if (!document.hidden) this.#askLeader();
  }

  #askLeader(): void {
    const waitedMs = Date.now() - this.#askedAt;
    if (!this.#isAsking) {
      if (waitedMs >= (this.#state === 'live' ? ASK_EVERY_MS : TICK_MS)) this.#ask();
    } else if (waitedMs >= ANSWER_TIMEOUT_MS) {
      this.#isAsking = false;
      this.#election.takeOver();
    }
  }

  #ask(): void {
    this.#isAsking = true;
    this.#askedAt = Date.now();
    this.#post({ kind: 'hello' });
  }

  #onVisibility(): void {
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      return;
    }
    if (Date.now() - this.#hiddenAt > LONG_HIDDEN_MS) this.#stream?.reopen();
    this.#wake();
  }

  #onOnline(): void {
    this.#stream?.reopen();
    this.#wake();
  }

  #wake(): void {
    if (this.#stream) this.#stream.tick();
    else this.#ask();
  }
}
