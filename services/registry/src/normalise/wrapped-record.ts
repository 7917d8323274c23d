import { isObject } from './record-fields.ts';

/** Members that hold the record itself: rows of a data set, servers of an MCP registry, hits of a search, JSON:API. */
export const WRAPPERS = ['row', 'server', '_source', 'attributes'] as const;

/** The record within a wrapper, with the other members of the wrapper; those that the record has too stay apart. */
export function unwrap(value: unknown): unknown {
  if (!isObject(value) || typeof value.name === 'string') return value;
  for (const wrapper of WRAPPERS) {
    const { [wrapper]: record, ...rest } = value;
    if (!isObject(record) || !hasText(record)) continue;
    const others = Object.entries(rest).filter(([name]) => Object.hasOwn(record, name));
    return { ...rest, ...record, ...(others.length > 0 && { [wrapper]: Object.fromEntries(others) }) };
  }
  return value;
}

function hasText(record: Record<string, unknown>): boolean {
  return typeof record.name === 'string' || typeof record.title === 'string' || typeof record.description === 'string';
}
