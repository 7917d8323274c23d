import { FIELDS } from '../index/index-data.ts';

/** How a word of a query matches a word of a skill; a form has the same stem. */
export type FitKind = 'exact' | 'form' | 'prefix' | 'typo';

/** The bits of a gain: points, whether the word is in a name, and whether it is whole (exact or a form). */
export const POINTS = 63;
export const IN_NAME = 64;
export const IS_WHOLE = 128;

const NAMES = FIELDS.name | FIELDS.displayName | FIELDS.joined;

/** A word in several fields has the points of each. */
const FIELD_POINTS: [fields: number, points: number][] = [
  [NAMES, 22],
  [FIELDS.tags, 14],
  [FIELDS.author | FIELDS.repository | FIELDS.category, 13],
  [FIELDS.description, 12],
];

const SHARES: Record<FitKind, number> = { exact: 1, form: 0.6, prefix: 0.5, typo: 0.4 };

/** The gain of a word of a query by kind of match and fields; 0 if it does not count as found. */
export const GAINS: Record<FitKind, Uint8Array> = {
  exact: gainsOf('exact'),
  form: gainsOf('form'),
  prefix: gainsOf('prefix'),
  typo: gainsOf('typo'),
};

function gainsOf(kind: FitKind): Uint8Array {
  const isWhole = kind === 'exact' || kind === 'form';
  return Uint8Array.from({ length: 256 }, (_, all) => {
    const fields = kind === 'exact' ? all : all & ~FIELDS.joined;
    const points = FIELD_POINTS.reduce((sum, [mask, each]) => ((fields & mask) === 0 ? sum : sum + each), 0);
    if (points === 0) return 0;
    return Math.round(points * SHARES[kind]) | ((fields & NAMES) === 0 ? 0 : IN_NAME) | (isWhole ? IS_WHOLE : 0);
  });
}
