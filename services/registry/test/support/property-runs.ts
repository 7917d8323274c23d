/** Number of runs of a property: `count` in long tests (`properties.long.test.ts`), otherwise a tenth. */
export function runs(count: number): number {
  return Math.ceil(count * Number(process.env.PROPERTY_RUNS_SHARE ?? 0.1));
}
