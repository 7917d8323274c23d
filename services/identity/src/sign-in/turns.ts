/** Runs the work of each key one after another; that of other keys meanwhile. @throws `full` when `maxWaiting` wait */
export function createTurns(maxWaiting: number, full: () => Error) {
  const last = new Map<string, Promise<unknown>>();
  let waiting = 0;

  return {
    async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
      const before = last.get(key);
      if (before && waiting >= maxWaiting) throw full();
      const mine = before ? afterwards(before, work) : work();
      const settled = mine.catch(() => undefined);
      last.set(key, settled);
      try {
        return await mine;
      } finally {
        if (last.get(key) === settled) last.delete(key);
      }
    },
  };

  async function afterwards<Result>(before: Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
    waiting += 1;
    await before.finally(() => {
      waiting -= 1;
    });
    return work();
  }
}
