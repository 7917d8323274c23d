import type { Skill } from './skill.ts';

/** Replaced by the branch that declares it. */
export function deriveInstall(
  _skill: Pick<Skill, 'kind' | 'name' | 'source'>,
  _host: string | undefined,
): string | null {
  return null;
}
