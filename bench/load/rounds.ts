import type { Figures } from './load.ts';

export interface Contestant<Name extends string = string> {
  name: Name;
  run(): Promise<Figures>;
}

/**
 * Runs each in turn, A B C A B C …, and gives the median of each figure: what else the machine does meanwhile hits all alike.
 * One round more goes before, to warm up.
 */
export async function alternate<Name extends string>(
  contestants: Contestant<Name>[],
  rounds: number,
): Promise<Map<Name, Figures>> {
  const all = new Map<Name, Figures[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of contestants) {
      const figures = await run();
      if (round > 0) all.get(name)?.push(figures);
      console.log(
        `  ${round > 0 ? `round ${round}` : 'warm-up'}  ${name}: ${Math.round(figures.perSecond)} requests/s`,
      );
    }
  }
  return new Map([...all].map(([name, figures]) => [name, toMedians(figures)]));
}

function toMedians(figures: Figures[]): Figures {
  const of = (key: keyof Figures) => median(figures.map((each) => each[key]));
  return { requests: of('requests'), perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
