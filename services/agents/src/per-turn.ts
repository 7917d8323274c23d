type Resolvers<Result> = PromiseWithResolvers<Result>;

interface Waiting<Item, Result> extends Resolvers<Result> {
  item: Item;
}

interface Options<Item> {
  /** How much one call may take on: its items together weigh no more, unless a single one does. */
  maxWeight: number;
  weigh: (item: Item) => number;
  mayRetry: (error: unknown) => boolean;
}

/**
 * One call for the items that come in one turn of the event loop: many requests at once then cost Redis and this process little more
 * than one. Items keep their order. When a call fails that `mayRetry`, its items are tried one by one, so that one that is bad does not
 * take others along.
 */
export function perTurn<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxWeight, weigh, mayRetry }: Options<Item>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];

  async function runAll(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (batch.length > 1 && mayRetry(error)) for (const one of batch) await runAll([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  function flush(): void {
    const all = waiting;
    waiting = [];
    let batch: Waiting<Item, Result>[] = [];
    let weight = 0;
    for (const one of all) {
      const own = weigh(one.item);
      if (batch.length > 0 && weight + own > maxWeight) {
        void runAll(batch);
        batch = [];
        weight = 0;
      }
      batch.push(one);
      weight += own;
    }
    void runAll(batch);
  }

  return (item) => {
    const resolvers = Promise.withResolvers<Result>();
    if (waiting.push({ item, ...resolvers }) === 1) setImmediate(flush);
    return resolvers.promise;
  };
}
