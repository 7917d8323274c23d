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
