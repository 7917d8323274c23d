/** Served items that may stay in the list: removing them costs as much as there are waiting items. */
const MAX_SERVED_KEPT = 1_024;

/** A first in, first out queue that reports how long its head has waited. */
export class TimedQueue<Item> {
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
