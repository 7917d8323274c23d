/** In which fields of a skill a word is: the low eight bits of a posting. */
export const FIELDS = {
  name: 1,
  displayName: 2,
  tags: 4,
  category: 8,
  author: 16,
  repository: 32,
  description: 64,
  /**
   * Two neighbouring words of a name written as one: whoever leaves out the hyphen finds it, by the whole of it only.
   */
  joined: 128,
} as const;

/** How a word of a query fits a word of a skill. */
export type FitKind = 'exact' | 'prefix' | 'typo';

/** Added to the gain of a word that is in a name, so that a sum of gains counts those words. */
export const IN_NAME = 1 << 16;

/** The best field decides, then how the word fits; the gaps are wider than what the kinds of fit add. */
const FIELD_POINTS: [mask: number, points: number][] = [
  [FIELDS.name, 40],
  [FIELDS.displayName | FIELDS.joined, 32],
  [FIELDS.tags, 24],
  [FIELDS.author | FIELDS.repository | FIELDS.category, 16],
  [FIELDS.description, 8],
];

const FIT_POINTS: Record<FitKind, number> = { exact: 7, prefix: 3, typo: 0 };

/** By kind of fit and fields: what a word of a query gains; 0 where it does not count as found. */
export const GAINS: Record<FitKind, Uint32Array> = {
  exact: gainsOf('exact'),
  prefix: gainsOf('prefix'),
  typo: gainsOf('typo'),
};

function gainsOf(kind: FitKind): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, all) => {
    const fields = kind === 'exact' ? all : all & ~FIELDS.joined;
    const best = FIELD_POINTS.find(([mask]) => (fields & mask) !== 0);
    if (best === undefined) return 0;
    const isInName = (fields & (FIELDS.name | FIELDS.displayName | FIELDS.joined)) !== 0;
    return best[1] + FIT_POINTS[kind] + (isInName ? IN_NAME : 0);
  });
}
