import type { Skill, SkillFile } from './records.ts';

export interface Check {
  tone: 'ok' | 'warn' | 'error' | 'neutral';
  text: string;
}

const ISSUES: Record<Skill['issues'][number], string> = {
  name_too_long: 'Its name has more than 64 characters.',
  name_characters: 'Its name has other characters than a–z, 0–9 and hyphens.',
  name_hyphens: 'Its name begins or ends with a hyphen, or has two in a row.',
  description_missing: 'It has no description. Agents need one to decide when to use it.',
  description_too_long: 'Its description has more than 1,024 characters.',
  compatibility_too_long: 'Its compatibility note has more than 500 characters.',
};

/** What is good and what is wrong with a skill, in words. `file` is undefined until its SKILL.md has been fetched. */
export function checksOf(skill: Skill, file: SkillFile | undefined): Check[] {
  return [...specification(skill), license(skill), content(skill, file)];
}

function specification({ valid, issues }: Skill): Check[] {
  if (valid) return [{ tone: 'ok', text: 'Follows the Agent Skills specification.' }];
  return issues.map((issue) => ({ tone: 'warn', text: ISSUES[issue] ?? issue }));
}

function license({ license: name }: Skill): Check {
  return name
    ? { tone: 'ok', text: 'Names a licence.' }
    : { tone: 'warn', text: 'Names no licence: ask its author before you use it.' };
}

function content({ digest, digest_of: of }: Skill, file: SkillFile | undefined): Check {
  if (digest === null) return { tone: 'neutral', text: 'Its registry declares no digest: the content may change.' };
  if (of === 'folder') {
    return { tone: 'neutral', text: 'Its registry declares the digest of the folder: “fleet skills add” checks it.' };
  }
  if (!file) return { tone: 'neutral', text: 'Its registry declares the digest of the SKILL.md.' };
  return file.declaredDigest === undefined
    ? { tone: 'ok', text: 'The SKILL.md has the digest that its registry declares.' }
    : { tone: 'error', text: 'The SKILL.md differs from what its registry declares: it has been changed since.' };
}
