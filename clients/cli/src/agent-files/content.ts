import { isDeepStrictEqual } from 'node:util';
import { exactJson, isLosslessNumber } from '@agent-fleet/sdk/exact-json';
import type { Line } from '../output/output.ts';
import { diffLines } from './line-diff.ts';

/** The fields of a definition but its number, its author and its note, in the order of a file. */
export const CONTENT_FIELDS = [
  ...(['description', 'runtime', 'model', 'effort', 'skills', 'mcp_servers', 'permissions', 'workspace'] as const),
  ...(['output_schema', 'requires', 'limits', 'retry_policy', 'max_concurrency', 'budget', 'tags'] as const),
  'instructions',
] as const;

export type Content = Record<string, unknown>;

/** A field that differs; undefined is an empty one. */
export interface Change {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** The fields of a definition that are not empty. A JSON Schema stays as it is. */
export function withoutEmpty(content: Content): Content {
  const kept = CONTENT_FIELDS.map((field) => [
    field,
    field === 'output_schema' || field === 'instructions' ? (content[field] ?? undefined) : compact(content[field]),
  ]);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

/** Undefined for null, and for a list or an object that has nothing else. */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map((part) => compact(part) ?? null) : undefined;
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value ?? undefined;
  const entries = Object.entries(value).map(([name, part]) => [name, compact(part)]);
  const kept = entries.filter(([, part]) => part !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** What differs between two contents, null for none. */
export function changesOf(from: Content | null, to: Content | null): Change[] {
  const [before, after] = [withoutEmpty(from ?? {}), withoutEmpty(to ?? {})];
  return CONTENT_FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => ({
    field,
    ...(before[field] !== undefined && { from: before[field] }),
    ...(after[field] !== undefined && { to: after[field] }),
  }));
}

/** A line for each field, and a unified diff for instructions. */
export function changeLines(changes: readonly Change[]): Line[] {
  return changes.flatMap(({ field, from, to }): Line[] => {
    if (field === 'instructions') {
      return [`    ${field}`, ...diffLines(String(from ?? ''), String(to ?? '')).map((line) => paint('      ', line))];
    }
    if (from === undefined) return [paint('    ', `+ ${field}: ${textOf(to)}`)];
    if (to === undefined) return [paint('    ', `- ${field}: ${textOf(from)}`)];
    return [`    ~ ${field}: ${textOf(from)} -> ${textOf(to)}`];
  });
}

function paint(indent: string, line: string): Line {
  const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined;
  return style ? { style, text: indent + line } : indent + line;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : exactJson.stringify(value));
