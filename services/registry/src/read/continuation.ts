import { isObject } from '@agent-fleet/shared/contract/json-object';
import { inBothCases } from '../normalise/field-names.ts';

const MAX_CHUNKS = 2_000;
const MAX_TEXT = 2_048;
/** More skills cannot be searched: a larger total is none. */
const MAX_TOTAL = 2 ** 24 - 1;
const TOTAL_NAMES = [
  'total_skills',
  'total',
  'total_count',
  'total_items',
  'total_docs',
  'total_results',
  'num_rows_total',
].flatMap(inBothCases);
/** Names of cursors with the query parameter that takes them. */
const CURSORS: readonly [name: string, parameter: string][] = [
  ['nextCursor', 'cursor'],
  ['next_cursor', 'cursor'],
  ['nextPageToken', 'pageToken'],
  ['next_page_token', 'page_token'],
  ['next_page', 'page'],
  ['nextPage', 'page'],
  ['endCursor', 'after'],
  ['next', 'cursor'],
];
const PAGING_OBJECTS = ['pagination', 'paging', 'meta', 'metadata', 'page_info', 'links'].flatMap(inBothCases);
const NUMBERS = ['page', 'total_pages', 'offset', 'limit', 'count'].flatMap(inBothCases);
const FLAGS = ['has_more', 'has_next_page', 'has_next'].flatMap(inBothCases);

/** Members of a file that say whether it is a part of a whole. */
export const CONTINUATION_NAMES = [
  ...TOTAL_NAMES,
  ...CURSORS.map(([name]) => name),
  ...PAGING_OBJECTS,
  ...NUMBERS,
  ...FLAGS,
  'chunks',
];

/** A file without any of these has no rest. */
export const HINTS = new RegExp(
  `"(?:${['chunks', 'offset', 'page', ...FLAGS, ...CURSORS.map(([name]) => name)].join('|')})"\\s*:`,
);

/** How the rest of a list is found. */
export interface Continuation {
  /** Number of all records, if the file says so. */
  total?: number;
  /** Addresses of all other parts, relative to the file. */
  chunks?: readonly string[];
  /** The next page: its address, or query parameters that replace those of this page. */
  next?: string | Record<string, string>;
  /** The file says that there are more records, but not where. */
  hasMore?: boolean;
}

/** Reads what a file says about its rest, from members at the top or in an object such as `pagination`. */
export function readContinuation(members: Record<string, unknown>): Continuation {
  const places = [members, ...PAGING_OBJECTS.map((name) => members[name]).filter(isObject)];
  const next = readNext(places);
  const hasMore = next === undefined && places.some(hasFlag) ? true : undefined;
  return { total: readTotal(places), chunks: readChunks(members.chunks), next, hasMore };
}

function readTotal(places: readonly Record<string, unknown>[]): number | undefined {
  for (const place of places) {
    for (const name of TOTAL_NAMES) if (isTotal(place[name])) return place[name];
    // In APIs with a link to the next page it is the number of all records, elsewhere that of this page.
    if ('next' in place && isTotal(place.count)) return place.count;
  }
  return undefined;
}

/** A list of addresses, or of objects with one. Undefined for a list of anything else. */
function readChunks(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_CHUNKS) return undefined;
  const chunks = value.map((chunk: unknown) => (isObject(chunk) ? (chunk.path ?? chunk.file ?? chunk.url) : chunk));
  return chunks.every(isAddress) ? chunks : undefined;
}

function readNext(places: readonly Record<string, unknown>[]): Continuation['next'] {
  if (places.some((place) => FLAGS.some((name) => place[name] === false))) return undefined;
  for (const place of places) {
    for (const [name, parameter] of CURSORS) {
      const cursor = place[name];
      if (typeof cursor === 'number') return { [parameter]: String(cursor) };
      if (!isAddress(cursor)) continue;
      return /^(?:https?:|\/|\?|\.)/.test(cursor) ? cursor : { [parameter]: cursor };
    }
  }
  return places.map(readNextNumber).find((next) => next !== undefined);
}

/** Of pages with numbers, and of lists with an offset. */
function readNextNumber(place: Record<string, unknown>): Record<string, string> | undefined {
  const { page, offset, limit } = place;
  const pages = place.totalPages ?? place.total_pages;
  const hasMore = hasFlag(place);
  if (isCount(page)) return hasMore || (isCount(pages) && page < pages) ? { page: String(page + 1) } : undefined;
  const total = readTotal([place]);
  if (!isCount(offset) || !isCount(limit) || limit === 0) return undefined;
  return hasMore || (total !== undefined && offset + limit < total) ? { offset: String(offset + limit) } : undefined;
}

function hasFlag(place: Record<string, unknown>): boolean {
  return FLAGS.some((name) => place[name] === true);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isTotal(value: unknown): value is number {
  return isCount(value) && value <= MAX_TOTAL;
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT;
}

/** Compares the records of a source with what its files announce. */
export class Completeness {
  #total = 0;
  #hasMore = false;

  /** In the order of the files. */
  note({ total = 0, next, hasMore = next !== undefined }: Continuation): void {
    this.#total = Math.max(this.#total, total);
    this.#hasMore = hasMore;
  }

  /** Number of records that are missing; at least one if the last file says that there are more. */
  missing(records: number): number {
    return Math.max(this.#total - records, this.#hasMore ? 1 : 0);
  }
}
