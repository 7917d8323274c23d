import type { DraftSkill } from '../skills/normalise.ts';

/** What `other` may fill in where it is not known yet. */
const FILLED = [
  'category',
  'author',
  'license',
  'version',
  'compatibility',
  'updated_at',
  'digest',
  'install',
] as const;
const SOURCE_PARTS = ['path', 'ref', 'url'] as const;

/** Adds to `skill` what it lacks and `other`, the same skill again, says; of stars and downloads the greatest count. Whether anything changed. */
export function mergeSkill(skill: DraftSkill, other: DraftSkill): boolean {
  let isChanged = false;
  const change = <Target extends object, Key extends keyof Target>(target: Target, key: Key, value: Target[Key]) => {
    target[key] = value;
    isChanged = true;
  };
  for (const key of FILLED) if (skill[key] === null && other[key] !== null) change(skill, key, other[key]);
  for (const part of SOURCE_PARTS) {
    if (skill.source[part] === null && other.source[part] !== null) change(skill.source, part, other.source[part]);
  }
  for (const key of ['stars', 'downloads'] as const) {
    if ((other[key] ?? -1) > (skill[key] ?? -1)) change(skill, key, other[key]);
  }
  if (skill.description === '' && other.description !== '') change(skill, 'description', other.description);
  if (skill.tags.length === 0 && other.tags.length > 0) change(skill, 'tags', other.tags);
  if (Object.keys(skill.extra).length === 0 && Object.keys(other.extra).length > 0) change(skill, 'extra', other.extra);
  return isChanged;
}
