type Resolvers<Result> = PromiseWithResolvers<Result>;

interface Waiting<Item, Result> extends Resolvers<Result> {
  item: Item;
}

/**
 * One call for all items that come in one turn of the event loop, `max` at most: many requests at once then cost Redis and this process
 * little more than one. Items keep their order. When a call fails that `mayRetry`, its items are tried one by one, so that one that
 * is bad does not take others along.
 */
export function perTurn<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, mayRetry }: { max: number; mayRetry: (error: unknown) => boolean },
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
    const batch = waiting;
    waiting = [];
    for (let first = 0; first < batch.length; first += max) void runAll(batch.slice(first, first + max));
  }

  return (item) => {
    const resolvers = Promise.withResolvers<Result>();
    if (waiting.push({ item, ...resolvers }) === 1) setImmediate(flush);
    return resolvers.promise;
  };
}
