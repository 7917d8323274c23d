import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';

/** The requested part of a list, by creation: `skip` counts from the oldest entry, with `desc` from the newest. */
export interface ListPage extends Page {
  order: 'asc' | 'desc';
}

export const orderParameter = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .default('asc')
  .meta({ description: '`asc`: oldest first. `desc`: newest first.' });

/** `fields`: names of the fields that a list returns besides `id`. */
export function fieldsParameter(names: readonly string[], example: string) {
  return z
    .string('must be given once')
    .transform((text) => text.split(','))
    .refine((given) => given.every((name) => names.includes(name)), `must be a list of ${names.join(', ')}`)
    .optional()
    .meta({
      type: 'string',
      description: `Only these fields and \`id\`, separated by commas: ${names.join(', ')}.`,
      example,
    });
}

/** Characters that are parsed at once: other requests wait meanwhile. */
const STEP = 1024 * 1024;

/** Reduces records to `id` and these fields, in the order of the record. */
export async function selectFields(records: string[], fields: readonly string[]): Promise<string[]> {
  const kept = new Set(['id', ...fields]);
  const selected: string[] = [];
  let parsed = 0;
  for (const json of records) {
    const record = JSON.parse(json) as Record<string, unknown>;
    selected.push(JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => kept.has(name)))));
    parsed += json.length;
    if (parsed < STEP) continue;
    parsed = 0;
    await nextTurn();
  }
  return selected;
}
