import type { SkillKind } from '../skills/skill.ts';
import { KIND } from './field-names.ts';
import type { RecordFields } from './record-fields.ts';

/** The words that registries use, in the singular and without separators. */
const KINDS: ReadonlyMap<string, SkillKind> = new Map([
  ['skill', 'skill'],
  ['agentskill', 'skill'],
  ['plugin', 'plugin'],
  ['mcp', 'mcp_server'],
  ['mcpserver', 'mcp_server'],
  ['agent', 'agent'],
  ['subagent', 'agent'],
  ['hook', 'hook'],
  ['setting', 'setting'],
  ['command', 'command'],
  ['slashcommand', 'command'],
]);
const MAX_LENGTH = 32;

/** Parses a word such as `MCP Server`, `mcp-servers` or `subagent`; undefined for an unknown one. */
export function parseKind(value: unknown): SkillKind | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  return KINDS.get(
    value
      .toLowerCase()
      .replace(/[\s_-]+/g, '')
      .replace(/s$/, ''),
  );
}

export function readKind(top: RecordFields, ofList: SkillKind): SkillKind {
  return top.takeAny(KIND, parseKind, (value, kind) => value === kind) ?? ofList;
}
