import { batchPerTick } from '@agent-fleet/shared/http/batch-per-tick';

interface Call<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

interface Options<Item> {
  /** The most weight of one call; a single item may weigh more. */
  maxWeight: number;
  weigh: (item: Item) => number;
  mayRetry: (error: unknown) => boolean;
}

/**
 * Joins all items of one tick into one call, in order, so that many concurrent requests cost one round trip. When a
 * call fails and `mayRetry` allows it, each item is tried alone, so that one bad item does not fail the others.
 */
export function createBatchedCall<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxWeight, weigh, mayRetry }: Options<Item>,
): (item: Item) => Promise<Result> {
  const batch = batchPerTick<Call<Item, Result>>((calls) => {
    for (const part of split(calls)) void runAll(part);
  });

  function* split(calls: readonly Call<Item, Result>[]): Generator<Call<Item, Result>[]> {
    let part: Call<Item, Result>[] = [];
    let weight = 0;
    for (const call of calls) {
      const own = weigh(call.item);
      if (part.length > 0 && weight + own > maxWeight) {
        yield part;
        part = [];
        weight = 0;
      }
      part.push(call);
      weight += own;
    }
    yield part;
  }

  async function runAll(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ item }) => item));
      for (const [at, { resolve }] of calls.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (calls.length > 1 && mayRetry(error)) for (const call of calls) await runAll([call]);
      else for (const { reject } of calls) reject(error);
    }
  }

  return (item) => {
    const call = { item, ...Promise.withResolvers<Result>() };
    batch.add(call);
    return call.promise;
  };
}
