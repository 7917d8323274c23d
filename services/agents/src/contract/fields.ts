import { parseExact } from '@agent-fleet/shared/exact-json';
import { z } from 'zod';

const KIB = 1024;

/** The fields of a task that may be any JSON: it is stored and served as it was sent. */
export const VERBATIM: ReadonlySet<string> = new Set(['input', 'tool_input', 'metadata', 'output_schema', 'result']);

/** Parses a record that is to be written again. */
export function parseRecord(json: string): unknown {
  return parseExact(json, VERBATIM);
}

/** Any JSON that is served, never absent; `z.unknown()` alone is published as optional. */
export const anyJsonSchema = z.unknown().refine((value): boolean => value !== undefined);

/** Any JSON value, limited by its size as UTF-8 JSON text. */
export function jsonSchema(maxBytes: number) {
  return z
    .unknown()
    .refine(
      (value) => value === undefined || Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
      `must not be larger than ${maxBytes / KIB} KiB as JSON`,
    );
}

export function integerSchema(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
}

/**
 * Any JSON object, unchanged and limited as above. `z.record` would drop a key named `__proto__`. One that is too large
 * is not checked further.
 */
export function objectSchema(maxBytes: number) {
  return z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value),
      'must be an object',
    )
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxBytes, {
      message: `must not be larger than ${maxBytes / KIB} KiB as JSON`,
      abort: true,
    });
}

/** One of the configured agent types. */
export function agentTypeSchema(types: readonly string[]) {
  return z.enum(types as [string, ...string[]], `must be one of ${types.join(', ')}`);
}
