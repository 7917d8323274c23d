/** Someone who waits for any of some keys to be rung. */
export interface Listener {
  /** Resolves true at a ring, also one since `listen` or the last call, and false when `timeoutMs` have passed or it is closed. */
  wait(timeoutMs: number): Promise<boolean>;
  /** Ends a wait; a ring that nobody has answered goes to the next listener. */
  close(): void;
}

interface Waiting {
  keys: readonly string[];
  rung: boolean;
  wake: (() => void) | undefined;
}

/** Wakes waiting workers, those first who have waited longest: one for each task that comes, so that no herd runs for it. */
export class Doorbell {
  readonly #byKey = new Map<string, Set<Waiting>>();
  #closed = false;

  /** How many listen. */
  get size(): number {
    return new Set([...this.#byKey.values()].flatMap((waiting) => [...waiting])).size;
  }

  listen(keys: readonly string[]): Listener {
    const waiting: Waiting = { keys, rung: false, wake: undefined };
    this.#add(waiting);
    return {
      wait: (timeoutMs) => this.#wait(waiting, timeoutMs),
      close: () => {
        this.#remove(waiting);
        const { rung, wake } = waiting;
        waiting.rung = false;
        wake?.();
        if (rung) this.ring(keys, 1);
      },
    };
  }

  /** Wakes up to `count` of those who listen to one of the keys, in the order of the keys. */
  ring(keys: readonly string[], count: number): void {
    let left = count;
    for (const key of keys) {
      for (const waiting of this.#byKey.get(key) ?? []) {
        if (left === 0) return;
        left--;
        this.#remove(waiting);
        waiting.rung = true;
        waiting.wake?.();
      }
    }
  }

  ringAll(): void {
    this.ring([...this.#byKey.keys()], Number.POSITIVE_INFINITY);
  }

  /** Nobody waits any more: all waits end without a ring. */
  close(): void {
    this.#closed = true;
    for (const waiting of [...this.#byKey.values()].flatMap((set) => [...set])) waiting.wake?.();
  }

  async #wait(waiting: Waiting, timeoutMs: number): Promise<boolean> {
    if (!waiting.rung && !this.#closed && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        waiting.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waiting.wake = undefined;
    }
    if (!waiting.rung) return false;
    waiting.rung = false;
    this.#add(waiting);
    return !this.#closed;
  }

  #add(waiting: Waiting): void {
    for (const key of waiting.keys) {
      const set = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, set.add(waiting));
    }
  }

  #remove(waiting: Waiting): void {
    for (const key of waiting.keys) {
      const set = this.#byKey.get(key);
      set?.delete(waiting);
      if (set?.size === 0) this.#byKey.delete(key);
    }
  }
}
