/** An element of a graph: what it comes after, by index. */
export type Predecessors = ReadonlyMap<number, readonly number[]>;

/**
 * Orders elements behind those that they come after (Kahn's algorithm). Those of cycles, and behind them, are left out.
 */
export function sortGraph(graph: Predecessors): number[] {
  const left = new Map([...graph].map(([at, before]) => [at, new Set(before).size]));
  const after = new Map<number, number[]>();
  for (const [at, before] of graph) {
    for (const one of new Set(before)) after.set(one, [...(after.get(one) ?? []), at]);
  }
  const sorted = [...left].filter(([, count]) => count === 0).map(([at]) => at);
  for (const at of sorted) {
    for (const next of after.get(at) ?? []) {
      const count = (left.get(next) as number) - 1;
      left.set(next, count);
      if (count === 0) sorted.push(next);
    }
  }
  return sorted;
}
