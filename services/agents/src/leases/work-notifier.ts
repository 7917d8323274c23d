import { meets } from '../tasks/rules/needs.ts';

/** Tasks of these topics have become ready, which need this of a worker (needs.ts), '' nothing. */
export interface Notification {
  topics: readonly string[];
  needs: string;
}

/** What a worker waits for: notifications of `topics` whose needs it meets, and that also have one of `required`. */
export interface Awaited {
  topics: readonly string[];
  required?: ReadonlySet<string>;
  offers: ReadonlySet<string>;
}

/** A subscription to one or more topics. */
export interface Listener {
  /** The notification that `wait` returned last; without topics when any work may have been missed. */
  readonly used: Notification;
  /** Resolves true at a notification, even one since `listen` or the last call; false at the timeout or `close`. */
  wait(timeoutMs: number): Promise<boolean>;
  /** Ends the wait. An unused notification goes to the next listener. */
  close(): void;
}

interface Waiting extends Awaited {
  /** One that is unused. */
  notified: Notification | undefined;
  /** The last one that was used. */
  used: Notification;
  resolve: (() => void) | undefined;
}

const ANY: Notification = { topics: [], needs: '' };

/** Notifies waiting workers in the order in which they came: one worker per task, to avoid a thundering herd. */
export class WorkNotifier {
  readonly #waiting = new Set<Waiting>();
  readonly #byTopic = new Map<string, Set<Waiting>>();
  #closed = false;

  /** Number of listeners. */
  get size(): number {
    return this.#waiting.size;
  }

  listen(awaited: Awaited): Listener {
    const waiting: Waiting = { ...awaited, notified: undefined, used: ANY, resolve: undefined };
    this.#add(waiting);
    return {
      get used() {
        return waiting.used;
      },
      wait: (timeoutMs) => this.#wait(waiting, timeoutMs),
      close: () => {
        this.#remove(waiting);
        const { notified, resolve } = waiting;
        waiting.notified = undefined;
        resolve?.();
        if (notified) this.notify(notified, 1);
      },
    };
  }

  /** Notifies up to `count` listeners, in the order of the topics. */
  notify(notification: Notification, count: number): void {
    const { topics, needs } = notification;
    let left = count;
    for (const topic of topics) {
      for (const waiting of this.#byTopic.get(topic) ?? []) {
        if (left === 0) return;
        const { required, offers } = waiting;
        if (required && !topics.some((other) => required.has(other))) continue;
        if (!meets(offers, needs)) continue;
        left--;
        this.#notifyOne(waiting, notification);
      }
    }
  }

  notifyAll(): void {
    for (const waiting of this.#waiting) this.#notifyOne(waiting, ANY);
  }

  /** Ends all waits without a notification. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.resolve?.();
  }

  #notifyOne(waiting: Waiting, notification: Notification): void {
    this.#remove(waiting);
    waiting.notified = notification;
    waiting.resolve?.();
  }

  async #wait(waiting: Waiting, timeoutMs: number): Promise<boolean> {
    if (!waiting.notified && !this.#closed && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        waiting.resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waiting.resolve = undefined;
    }
    if (!waiting.notified) return false;
    waiting.used = waiting.notified;
    waiting.notified = undefined;
    this.#add(waiting);
    return !this.#closed;
  }

  #add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    for (const topic of waiting.topics) {
      const set = this.#byTopic.get(topic) ?? new Set();
      this.#byTopic.set(topic, set.add(waiting));
    }
  }

  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    for (const topic of waiting.topics) {
      const set = this.#byTopic.get(topic);
      set?.delete(waiting);
      if (set?.size === 0) this.#byTopic.delete(topic);
    }
  }
}

/** Topics of the wakeups of waiting workers: tasks of an agent, or of a type, have become ready. */
export const agentTopic = (agentId: string) => `agent:${agentId}`;
export const typeTopic = (type: string) => `type:${type}`;

/** The same for tasks that are reserved for a worker, whose id is percent-encoded. */
export const reservedTopic = (topic: string, worker: string) => `${topic} ${worker}`;
