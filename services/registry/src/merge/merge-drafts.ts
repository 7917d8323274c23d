import { keyOf } from '../index/words/fold.ts';
import { MAX_EXTRA_SIZE } from '../normalise/bounded-value.ts';
import { MAX_TAGS } from '../normalise/labels.ts';
import type { DraftSkill } from '../normalise/normalise.ts';

/** Filled in from `other` if missing. */
const FILLED = ['category', 'author', 'license', 'compatibility', 'updated_at', 'install'] as const;
/** These describe one state of the files, like `ref` and `url`. */
const OF_STATE = ['version', 'digest'] as const;

/** Merges a duplicate into `skill` by the rules of README.md, "The same skill". Returns whether anything changed. */
export function mergeDraft(skill: DraftSkill, other: DraftSkill): boolean {
  let isChanged = false;
  const change = <Target extends object, Key extends keyof Target>(target: Target, key: Key, value: Target[Key]) => {
    target[key] = value;
    isChanged = true;
  };
  const isOneState = isSameState(skill, other) || hasNoState(skill);
  for (const key of isOneState ? [...FILLED, ...OF_STATE] : FILLED)
    if (skill[key] === null && other[key] !== null) {
      change(skill, key, other[key]);
      if (key === 'digest') skill.digest_of = other.digest_of;
      if (key === 'category') skill.categories = other.categories;
    }
  for (const part of isOneState ? (['path', 'ref', 'url'] as const) : (['path'] as const)) {
    if (skill.source[part] === null && other.source[part] !== null) change(skill.source, part, other.source[part]);
  }
  for (const key of ['stars', 'downloads'] as const) {
    if ((other[key] ?? -1) > (skill[key] ?? -1)) change(skill, key, other[key]);
  }
  if (skill.description === '' && other.description !== '') change(skill, 'description', other.description);
  if (skill.display_name === skill.name && other.display_name !== other.name) {
    change(skill, 'display_name', other.display_name);
  }
  if (other.featured && !skill.featured) change(skill, 'featured', true);
  const tags = joinTags(skill.tags, other.tags);
  if (tags.length > skill.tags.length) change(skill, 'tags', tags);
  const extra = { ...other.extra, ...skill.extra };
  const isLarger = Object.keys(extra).length > Object.keys(skill.extra).length;
  if (isLarger && JSON.stringify(extra).length <= MAX_EXTRA_SIZE) change(skill, 'extra', extra);
  return isChanged;
}

function isSameState(skill: DraftSkill, other: DraftSkill): boolean {
  if (skill.source.ref !== other.source.ref) return false;
  return OF_STATE.every((key) => skill[key] === null || other[key] === null || skill[key] === other[key]);
}

function hasNoState({ source, version, digest }: DraftSkill): boolean {
  return source.ref === null && source.url === null && version === null && digest === null;
}

function joinTags(own: readonly string[], others: readonly string[]): string[] {
  const known = new Set(own.map(keyOf));
  const added = others.filter((tag) => !known.has(keyOf(tag)));
  return [...own, ...added].slice(0, Math.max(own.length, MAX_TAGS));
}
