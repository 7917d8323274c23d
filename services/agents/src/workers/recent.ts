interface Entry<Value> {
  /** Undefined when all is written. */
  value: Value | undefined;
  /** In ms. */
  writtenAt: number;
}

/**
 * Values by key that wait to be written: the first at once, later ones at most every `everyMs`. Of more than `max` keys
 * the oldest are dropped.
 */
export class Recent<Value> {
  readonly #max: number;
  readonly #everyMs: number;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(max: number, everyMs: number) {
    this.#max = max;
    this.#everyMs = everyMs;
  }

  /** Returns the value that waits, or a new one. */
  get(key: string, create: () => Value): Value {
    let entry = this.#entries.get(key);
    if (!entry) {
      for (const oldest of this.#entries.keys()) {
        if (this.#entries.size < this.#max) break;
        this.#entries.delete(oldest);
      }
      entry = { value: undefined, writtenAt: Number.NEGATIVE_INFINITY };
      this.#entries.set(key, entry);
    }
    entry.value ??= create();
    return entry.value;
  }

  /** Takes the values that are to be written now, and forgets keys without any. `isUrgent`: one that must not wait. */
  *takeDue(now: number, isUrgent: (value: Value) => boolean = () => false): Generator<[key: string, value: Value]> {
    for (const [key, entry] of this.#entries) {
      const { value, writtenAt } = entry;
      const isRecent = now - writtenAt < this.#everyMs;
      if (value === undefined) {
        if (!isRecent) this.#entries.delete(key);
      } else if (!isRecent || isUrgent(value)) {
        entry.value = undefined;
        entry.writtenAt = now;
        yield [key, value];
      }
    }
  }
}
