import { isObject } from '@agent-fleet/shared/contract/json-object';
import type { SkillKind } from '../skills/skill.ts';

/** A record of a registry file. */
export interface RawRecord {
  /** Counts from 0 in the order of the file. */
  index: number;
  /** Set if the file is an object keyed by slug. */
  key?: string;
  value: unknown;
  /** Too long or too deep; then `value` is undefined. */
  isTooLarge?: boolean;
  /** All texts are printable ASCII: only spaces need to be cleaned. */
  isPlain?: boolean;
  /** The same object for all records of a list. */
  context?: RecordContext;
}

/**
 * What a file says once for all records of a list. Only texts: a skill depends on the bytes of its record, its key and
 * the JSON of this context, and on nothing else.
 */
export interface RecordContext {
  /** Of records that do not name their own kind. */
  kind: SkillKind;
  /** Public address of the file, without credentials and query: relative addresses are resolved against it. */
  address?: string;
  /** The repository of the records, as the file names it. */
  repository?: string;
  /** Branch, tag or commit of that repository. */
  ref?: string;
  /** Name of the owner of a marketplace. */
  owner?: string;
  /** Of records that name none: that of their group. */
  category?: string;
  /** Folder of the plugins of a marketplace whose sources are relative. */
  root?: string;
}

/** Members that hold the record itself: rows of a data set, servers of an MCP registry, hits of a search, JSON:API. */
export const WRAPPERS = ['row', 'server', '_source', 'attributes'] as const;

/** The record within a wrapper, with the other members of the wrapper; those that the record has too stay apart. */
export function unwrap(value: unknown): unknown {
  if (!isObject(value) || typeof value.name === 'string') return value;
  for (const wrapper of WRAPPERS) {
    const { [wrapper]: record, ...rest } = value;
    if (!isObject(record) || !hasText(record) || Object.hasOwn(record, wrapper)) continue;
    const others = Object.entries(rest).filter(([name]) => Object.hasOwn(record, name));
    return { ...rest, ...record, ...(others.length > 0 && { [wrapper]: Object.fromEntries(others) }) };
  }
  return value;
}

function hasText(record: Record<string, unknown>): boolean {
  return typeof record.name === 'string' || typeof record.title === 'string' || typeof record.description === 'string';
}
