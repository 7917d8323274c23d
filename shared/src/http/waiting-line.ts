/** Before they are moved out of the list, which costs as much as those that wait. */
const MAX_SERVED_KEPT = 1_024;

/** First come, first served, and since when each has waited. */
export class WaitingLine<Item> {
  readonly #items: Item[] = [];
  readonly #sinceMs: number[] = [];
  /** Of the first that waits. */
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** How long the first has waited, 0 when none does. */
  get waitMs(): number {
    const since = this.#sinceMs[this.#head];
    return since === undefined ? 0 : performance.now() - since;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#sinceMs.push(performance.now());
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head++];
    if (this.length === 0 || this.#head >= MAX_SERVED_KEPT) this.#forgetServed();
    return item;
  }

  /** Takes out those that fit, in their order. */
  remove(fits: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (let at = this.#items.length - 1; at >= this.#head; at--) {
      const item = this.#items[at] as Item;
      if (!fits(item)) continue;
      removed.unshift(item);
      this.#items.splice(at, 1);
      this.#sinceMs.splice(at, 1);
    }
    return removed;
  }

  #forgetServed(): void {
    this.#items.splice(0, this.#head);
    this.#sinceMs.splice(0, this.#head);
    this.#head = 0;
  }
}
