/** The fields of a skill that contain a word: the low eight bits of a posting. */
export const FIELDS = {
  name: 1,
  displayName: 2,
  tags: 4,
  category: 8,
  author: 16,
  repository: 32,
  description: 64,
  /** Two adjacent words of a name written as one, for queries without the hyphen. Matches only as a whole. */
  joined: 128,
} as const;

/** How a word of a query matches a word of a skill. */
export type FitKind = 'exact' | 'prefix' | 'typo';

/** Added to the gain of a word in a name, so that a sum of gains also counts these words. */
export const IN_NAME = 1 << 16;

/** The best field decides, then the kind of match: the gaps are wider than the points of a kind. */
const FIELD_POINTS: [mask: number, points: number][] = [
  [FIELDS.name, 40],
  [FIELDS.displayName | FIELDS.joined, 32],
  [FIELDS.tags, 24],
  [FIELDS.author | FIELDS.repository | FIELDS.category, 16],
  [FIELDS.description, 8],
];

const FIT_POINTS: Record<FitKind, number> = { exact: 7, prefix: 3, typo: 0 };

/** The score of a word of a query by kind of match and fields; 0 if it does not count as found. */
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
