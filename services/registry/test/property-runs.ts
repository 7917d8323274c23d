/** How often a property is tried: all of `count` in long tests (`properties.long.test.ts`), a tenth otherwise. */
export function runs(count: number): number {
  return Math.ceil(count * Number(process.env.PROPERTY_RUNS_SHARE ?? 0.1));
}
