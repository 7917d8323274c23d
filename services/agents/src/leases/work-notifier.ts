/** A subscription to one or more topics. */
export interface Listener {
  /** Resolves true at a notification, even one since `listen` or the last call; false at the timeout or `close`. */
  wait(timeoutMs: number): Promise<boolean>;
  /** Ends the wait. An unused notification goes to the next listener. */
  close(): void;
}

interface Waiting {
  topics: readonly string[];
  notified: boolean;
  resolve: (() => void) | undefined;
}

/** Notifies waiting workers in the order in which they came: one worker per task, to avoid a thundering herd. */
export class WorkNotifier {
  readonly #byTopic = new Map<string, Set<Waiting>>();
  #closed = false;

  /** Number of listeners. */
  get size(): number {
    return new Set([...this.#byTopic.values()].flatMap((waiting) => [...waiting])).size;
  }

  listen(topics: readonly string[]): Listener {
    const waiting: Waiting = { topics, notified: false, resolve: undefined };
    this.#add(waiting);
    return {
      wait: (timeoutMs) => this.#wait(waiting, timeoutMs),
      close: () => {
        this.#remove(waiting);
        const { notified, resolve } = waiting;
        waiting.notified = false;
        resolve?.();
        if (notified) this.notify(topics, 1);
      },
    };
  }

  /** Notifies up to `count` listeners of these topics, in the order of the topics. */
  notify(topics: readonly string[], count: number): void {
    let left = count;
    for (const topic of topics) {
      for (const waiting of this.#byTopic.get(topic) ?? []) {
        if (left === 0) return;
        left--;
        this.#remove(waiting);
        waiting.notified = true;
        waiting.resolve?.();
      }
    }
  }

  notifyAll(): void {
    this.notify([...this.#byTopic.keys()], Number.POSITIVE_INFINITY);
  }

  /** Ends all waits without a notification. */
  close(): void {
    this.#closed = true;
    for (const waiting of [...this.#byTopic.values()].flatMap((set) => [...set])) waiting.resolve?.();
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
    waiting.notified = false;
    this.#add(waiting);
    return !this.#closed;
  }

  #add(waiting: Waiting): void {
    for (const topic of waiting.topics) {
      const set = this.#byTopic.get(topic) ?? new Set();
      this.#byTopic.set(topic, set.add(waiting));
    }
  }

  #remove(waiting: Waiting): void {
    for (const topic of waiting.topics) {
      const set = this.#byTopic.get(topic);
      set?.delete(waiting);
      if (set?.size === 0) this.#byTopic.delete(topic);
    }
  }
}
