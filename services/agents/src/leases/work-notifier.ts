/** A subscription to one or more topics. */
export interface Listener {
  /** The topics of the notification that `wait` returned last; none when any work may have been missed. */
  readonly topics: readonly string[];
  /** Resolves true at a notification, even one since `listen` or the last call; false at the timeout or `close`. */
  wait(timeoutMs: number): Promise<boolean>;
  /** Ends the wait. An unused notification goes to the next listener. */
  close(): void;
}

interface Waiting {
  topics: readonly string[];
  /** It takes only notifications that also have one of these topics. */
  required: ReadonlySet<string> | undefined;
  /** The topics of an unused notification. */
  notified: readonly string[] | undefined;
  /** Those of the last one that was used. */
  used: readonly string[];
  resolve: (() => void) | undefined;
}

/** Notifies waiting workers in the order in which they came: one worker per task, to avoid a thundering herd. */
export class WorkNotifier {
  readonly #waiting = new Set<Waiting>();
  readonly #byTopic = new Map<string, Set<Waiting>>();
  #closed = false;

  /** Number of listeners. */
  get size(): number {
    return this.#waiting.size;
  }

  /** With `required`, only notifications of `topics` that also have one of these. */
  listen(topics: readonly string[], required?: ReadonlySet<string>): Listener {
    const waiting: Waiting = { topics, required, notified: undefined, used: [], resolve: undefined };
    this.#add(waiting);
    return {
      get topics() {
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

  /** Notifies up to `count` listeners of these topics, in the order of the topics. */
  notify(topics: readonly string[], count: number): void {
    let left = count;
    for (const topic of topics) {
      for (const waiting of this.#byTopic.get(topic) ?? []) {
        if (left === 0) return;
        const { required } = waiting;
        if (required && !topics.some((other) => required.has(other))) continue;
        left--;
        this.#notifyOne(waiting, topics);
      }
    }
  }

  notifyAll(): void {
    for (const waiting of this.#waiting) this.#notifyOne(waiting, []);
  }

  /** Ends all waits without a notification. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.resolve?.();
  }

  #notifyOne(waiting: Waiting, topics: readonly string[]): void {
    this.#remove(waiting);
    waiting.notified = topics;
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

/** The same for tasks that need something of their worker; '' nothing. */
export const needsTopic = (topic: string, needs: string) => (needs === '' ? topic : `${topic} +${needs}`);

/** The same for tasks that are reserved for a worker, whose id is percent-encoded. */
export const reservedTopic = (topic: string, worker: string) => `${topic} ${worker}`;
