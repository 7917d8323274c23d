/** More are not held back. */
const MAX_ITEMS = 1_000;

/** Collects items, and passes them on together: so long after the first one, or when there are 1,000. */
export function createBatch<Item>(intervalMs: number, pass: (items: Item[]) => void) {
  const items: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function take(): Item[] {
    clearTimeout(timer);
    timer = undefined;
    return items.splice(0);
  }

  function flush(): void {
    const taken = take();
    if (taken.length > 0) pass(taken);
  }

  return {
    add(item: Item): void {
      items.push(item);
      if (items.length >= MAX_ITEMS) flush();
      else timer ??= setTimeout(flush, intervalMs);
    },
    flush,
    /** Forgets what was not passed on. */
    drop: () => void take(),
  };
}
