import type { Skill } from '../../skills/skill.ts';
import { locateSkillFile } from '../../skills/skill-file.ts';

/** The `$schema` of Agent Skills Discovery 0.2.0. */
export const WELL_KNOWN_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** An entry of a well-known index. */
export interface WellKnownEntry {
  name: string;
  type: 'skill-md';
  description: string;
  url: string;
  digest: string;
}

/** Undefined unless it is a valid skill with the digest of its SKILL.md, which can be located. */
export function toWellKnownEntry(skill: Skill): WellKnownEntry | undefined {
  const { name, description, digest, valid } = skill;
  if (!valid || skill.kind !== 'skill' || skill.digest_of !== 'skill_md' || digest === null) return undefined;
  const url = locateSkillFile(skill.source);
  return url === undefined ? undefined : { name, type: 'skill-md', description, url, digest };
}
