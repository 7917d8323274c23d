import type { SkillIssue } from '../skills/skill.ts';
import { isLongerThan } from '../skills/text.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const VALID_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const FORBIDDEN_CHARACTER = /[^a-z0-9-]/;
const MISPLACED_HYPHEN = /^-|--|-$/;

export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME && VALID_NAME.test(name);
}

/** The rules of the Agent Skills specification that a skill breaks, in the order of `SKILL_ISSUES`. */
export function findIssues(name: string, description: string, compatibility: string | null): SkillIssue[] {
  const issues: SkillIssue[] = [];
  if (name.length > MAX_NAME && isLongerThan(name, MAX_NAME)) issues.push('name_too_long');
  if (!VALID_NAME.test(name)) {
    if (FORBIDDEN_CHARACTER.test(name)) issues.push('name_characters');
    if (MISPLACED_HYPHEN.test(name)) issues.push('name_hyphens');
  }
  if (description === '') issues.push('description_missing');
  else if (isLongerThan(description, MAX_DESCRIPTION)) issues.push('description_too_long');
  if (compatibility !== null && isLongerThan(compatibility, MAX_COMPATIBILITY)) issues.push('compatibility_too_long');
  return issues;
}
