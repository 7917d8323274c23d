import type { Skill } from '../skills/skill.ts';
import { SkillTable, type SkillTableData } from '../skills/skill-table.ts';
import { toWellKnownEntry, WELL_KNOWN_SCHEMA } from '../well-known/entry.ts';

/** The body of `/.well-known/agent-skills/index.json`, of the skills at `rows`. */
export function toWellKnownBody(data: SkillTableData, rows: Iterable<number>): object {
  const table = new SkillTable(data);
  const skills: object[] = [];
  for (const row of rows) {
    const skill: Skill = JSON.parse(table.jsonAt(row).toString());
    const entry = toWellKnownEntry(skill);
    if (entry !== undefined) skills.push(entry);
  }
  return { $schema: WELL_KNOWN_SCHEMA, skills };
}
