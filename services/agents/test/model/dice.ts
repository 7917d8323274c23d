import fc from 'fast-check';

const below = (count: number) => fc.noBias(fc.nat(count - 1));

export type Dice = ReturnType<typeof createDice>;

/** Random choices that fast-check can repeat and shrink. */
export function createDice(generate: fc.GeneratorValue) {
  const roll = (count: number) => generate(below, count);
  return {
    roll,
    oneIn: (count: number) => roll(count) === 0,
    pick: <T>(of: readonly T[]) => of[of.length === 0 ? 0 : roll(of.length)] as T,
  };
}
