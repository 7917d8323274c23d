import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '@agent-fleet/shared/contract/operation';
import {
  limitParameter,
  linkTo,
  type Order,
  orderParameter,
  type Page,
  pageHeaders,
  queryText,
  skipParameter,
} from '@agent-fleet/shared/contract/paging';
import { validationError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { parseRecord } from './fields.ts';

/** More entries are skipped only in a list that a single index has. */
const MAX_SKIP = 1_000;
/** Characters that are parsed at once: other requests wait meanwhile. */
const STEP = 1024 * 1024;

/** The query parameters of a list by creation. */
export const pageParameters = {
  skip: skipParameter,
  limit: limitParameter,
  after: queryText(
    `Only entries that follow the one with this id. The \`next\` link has it where no single index has the list; there, \`skip\` is at most ${MAX_SKIP}.`,
  ),
};
export const orderedPageParameters = { ...pageParameters, order: orderParameter };

/** The requested part of a list by creation: `skip` counts from the first entry in this order, or from `after`. */
export interface ListPage extends Page {
  order: Order;
  after?: string | undefined;
}

/** One page of entries. */
export interface FoundPage {
  total: number;
  /** Entries of the page, those included whose record no longer exists. */
  passed: number;
  /** Of a list that is paged by a cursor: where the next page starts; null when there is none. */
  next?: { after: string; skip?: number } | null;
}

export interface RecordPage extends FoundPage {
  records: string[];
}

export interface IdPage extends FoundPage {
  ids: string[];
}

/** A page of what a hash of a task has ends after this size. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const READ_STEP = 20;

/** Reads the records of a page in steps, as many as fit into it; undefined for one that was deleted meanwhile. */
export async function readPage(
  page: IdPage,
  readStep: (ids: string[]) => Promise<(string | undefined)[]>,
): Promise<RecordPage> {
  const { ids, next } = page;
  const records: string[] = [];
  let passed = 0;
  for (let bytes = 0; passed < ids.length && bytes < MAX_PAGE_BYTES; ) {
    const found = await readStep(ids.slice(passed, passed + READ_STEP));
    passed += found.length;
    for (const record of found) {
      bytes += record?.length ?? 0;
      if (record !== undefined) records.push(record);
    }
  }
  if (next === undefined || passed === ids.length) return { ...page, passed, records };
  return { ...page, passed, records, next: { after: ids[passed - 1] as string } };
}

/** The page of a whole list, whose ids are in ascending order. */
export function pageOf(all: string[], { skip, limit, order, after }: ListPage): IdPage {
  const inOrder = order === 'desc' ? all.toReversed() : all;
  const follows = (id: string) => after === undefined || (order === 'desc' ? id < after : id > after);
  const rest = inOrder.filter(follows);
  const ids = rest.slice(skip, skip + limit);
  const end = ids.at(-1);
  const next = end !== undefined && skip + ids.length < rest.length ? { after: end } : null;
  return { ids, total: all.length, passed: ids.length, next };
}

/** Refuses to skip many entries of a list that no single index has. @throws 400 */
export function refuseDeepSkip({ skip }: Page): void {
  if (skip <= MAX_SKIP) return;
  const message = `must be at most ${MAX_SKIP} in this list: continue by after, as the next link does`;
  throw validationError([{ path: 'skip', code: 'too_deep', message }]);
}

/** The reply with a page of records, which are joined without parsing unless only some `fields` are wanted. */
export async function toPageReply(
  url: string,
  page: Page,
  found: RecordPage,
  fields?: readonly string[],
): Promise<Reply> {
  const selected = fields ? await selectFields(found.records, fields) : found.records;
  return { status: 200, json: `[${selected.join(',')}]`, headers: toPageHeaders(url, page, found) };
}

/** The headers `X-Total-Count` and `Link` of a page. */
export function toPageHeaders(url: string, page: Page, { total, passed, next }: FoundPage): Record<string, string> {
  if (next === undefined) return pageHeaders(url, page, total, passed);
  const { skip, limit } = page;
  const links: string[] = [];
  if (next) links.push(linkTo(url, { skip: undefined, limit, ...next }, 'next'));
  if (skip > 0) links.push(linkTo(url, { skip: Math.max(0, skip - limit), limit }, 'prev'));
  return { 'x-total-count': String(total), ...(links.length > 0 && { link: links.join(', ') }) };
}

/** A record of a list, which has all fields only without `fields`. */
export function listedSchema<Shape extends z.ZodRawShape & { id: z.ZodType }>(shape: Shape, id: string) {
  return z
    .strictObject(
      Object.fromEntries(
        Object.entries(shape).map(([name, field]) => [name, name === 'id' ? field : z.optional(field)]),
      ),
    )
    .meta({ id, description: 'A record of a list; with `fields`, the requested ones of its fields and `id`.' });
}

/** `fields`: names of the fields that a list returns besides `id`. */
export function fieldsParameter(listed: z.ZodObject, example: string) {
  const names = Object.keys(listed.shape);
  const name = `(${names.join('|')})`;
  return z
    .string('must be given once')
    .transform((text) => text.split(','))
    .refine((given) => given.every((name) => names.includes(name)), `must be a list of ${names.join(', ')}`)
    .optional()
    .meta({
      type: 'string',
      pattern: `^${name}(,${name})*$`,
      description: `Only these fields and \`id\`, separated by commas: ${names.join(', ')}.`,
      example,
    });
}

/** Reduces records to `id` and these fields, in the order of the record. */
export async function selectFields(records: string[], fields: readonly string[]): Promise<string[]> {
  const kept = new Set(['id', ...fields]);
  const selected: string[] = [];
  let parsed = 0;
  for (const json of records) {
    const record = parseRecord(json) as Record<string, unknown>;
    selected.push(JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => kept.has(name)))));
    parsed += json.length;
    if (parsed < STEP) continue;
    parsed = 0;
    await nextTurn();
  }
  return selected;
}
