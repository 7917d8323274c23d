import { FIELDS } from '../index/fields.ts';

/** How a word of a query matches a word of a skill; a form has the same stem. */
export type FitKind = 'exact' | 'form' | 'prefix' | 'typo';

/** Added to the gain of a word in a name, so that a sum of gains also counts these words. */
export const IN_NAME = 1 << 20;

/** A word in several fields has the points of each. */
const FIELD_POINTS: [fields: number, points: number][] = [
  [FIELDS.name | FIELDS.displayName | FIELDS.joined, 80],
  [FIELDS.tags, 30],
  [FIELDS.author | FIELDS.repository | FIELDS.category, 20],
  [FIELDS.description, 40],
];

const SHARES: Record<FitKind, number> = { exact: 1, form: 0.85, prefix: 0.6, typo: 0.4 };

/** The points of a word of a query by kind of match and fields, at most 255; 0 if it does not count as found. */
export const GAINS: Record<FitKind, Uint32Array> = {
  exact: gainsOf('exact'),
  form: gainsOf('form'),
  prefix: gainsOf('prefix'),
  typo: gainsOf('typo'),
};

function gainsOf(kind: FitKind): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, all) => {
    const fields = kind === 'exact' ? all : all & ~FIELDS.joined;
    const points = FIELD_POINTS.reduce((sum, [mask, each]) => ((fields & mask) === 0 ? sum : sum + each), 0);
    const isInName = (fields & (FIELDS.name | FIELDS.displayName | FIELDS.joined)) !== 0;
    return Math.round(points * SHARES[kind]) + (isInName ? IN_NAME : 0);
  });
}
