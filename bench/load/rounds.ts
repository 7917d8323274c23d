import type { Figures } from './load.ts';

export interface Contestant<Name extends string = string, Result extends Figures = Figures> {
  name: Name;
  run(): Promise<Result>;
}

/**
 * Runs the contestants in turn, A B C C B A A B C …, so that other load on the machine affects all alike and none
 * always follows the same one, and returns the median of each figure. The first round is a warm-up.
 */
export async function alternate<Name extends string, Result extends Figures>(
  contestants: Contestant<Name, Result>[],
  rounds: number,
): Promise<Map<Name, Result>> {
  const all = new Map<Name, Result[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const figures = await run();
      if (round > 0) all.get(name)?.push(figures);
      console.log(
        `  ${round > 0 ? `round ${round}` : 'warm-up'}  ${name}: ${Math.round(figures.perSecond)} requests/s`,
      );
    }
  }
  return new Map([...all].map(([name, figures]) => [name, toMedians(figures)]));
}

function toMedians<Result extends Figures>(results: Result[]): Result {
  const [first] = results;
  if (!first) throw new Error('There are no figures');
  const medianOf = (key: string) => median(results.map((each) => each[key as keyof Result] as number));
  return Object.fromEntries(Object.keys(first).map((key) => [key, medianOf(key)])) as unknown as Result;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
