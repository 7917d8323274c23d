import type { SkillKind } from '../skills/skill.ts';

/** Lists that are read whatever they hold. */
export const SKILL_LISTS = ['skills', 'items'] as const;

/** Lists that APIs and data sets have in place of `skills`. The first one whose elements look like records is read. */
export const OTHER_LISTS = ['rows', 'docs', 'entries', 'records', 'results', 'data', 'hits'] as const;

/** Lists of other kinds, which are read beside any other list, if their elements look like those of a catalogue. */
export const KIND_LISTS: ReadonlyMap<string, SkillKind> = new Map([
  ['plugins', 'plugin'],
  ['agents', 'agent'],
  ['subagents', 'agent'],
  ['commands', 'command'],
  ['mcps', 'mcp_server'],
  ['mcpServers', 'mcp_server'],
  ['mcp_servers', 'mcp_server'],
  ['servers', 'mcp_server'],
  ['hooks', 'hook'],
  ['settings', 'setting'],
]);

/** Objects that hold the lists of a file which has none itself. */
export const ENVELOPES = ['data', 'result', 'payload', 'hits', 'registry', 'marketplace', 'catalog'] as const;

export const LIST_NAMES: ReadonlySet<string> = new Set([...SKILL_LISTS, ...OTHER_LISTS, ...KIND_LISTS.keys()]);
