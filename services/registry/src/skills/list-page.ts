import { hash } from 'node:crypto';
import { categoryIdOf } from '../categories/category-ids.ts';
import type { Kept } from '../http/lru-cache.ts';
import { digestOf } from '../http/representation.ts';
import type { Found, SearchQuery } from '../search/search-query.ts';
import type { Served } from '../snapshots/served.ts';
import { badCursor, isOfSnapshot, readCursor } from './cursor.ts';
import type { ListQuery } from './list-query.ts';
import type { Skill } from './skill.ts';

const DEFAULT_CURSOR_LIMIT = 100;

/** Which skills of a snapshot a request gets, and all of the answer that is known before its body is made. */
export interface ListPage extends Kept {
  /** How many fitting skills come before. */
  skip: number;
  /** Undefined where there are no pages. */
  limit: number | undefined;
  total: number;
  rows: Uint32Array;
  /** Undefined without `facets`. */
  facetsJson: string | undefined;
  fields: readonly (keyof Skill)[] | undefined;
  /** What the entity tag is made of. */
  digest: string;
}

/** Whether nothing is asked but the list as it is. */
export function isWholeList(query: ListQuery): boolean {
  return query.skip === 0 && query.limit === undefined && query.fields === undefined && isPartOfList(query);
}

/** What does not change which skills there are and in which order. */
const OF_A_PART: ReadonlySet<string> = new Set(['skip', 'limit', 'fields', 'sort', 'order']);

/** Whether skills are asked for as they stand in the list. */
function isPartOfList(query: ListQuery): boolean {
  if (query.order === 'desc' || (query.sort !== undefined && query.sort !== 'name')) return false;
  for (const name in query) {
    if (query[name as keyof ListQuery] !== undefined && !OF_A_PART.has(name)) return false;
  }
  return true;
}

/**
 * The query with the place in the list that its cursor stands for, so that all who come to a page by other ways share
 * it. @throws 400
 */
export function resolveCursor(served: Served, query: ListQuery): ListQuery {
  const { cursor, skip, limit = DEFAULT_CURSOR_LIMIT } = query;
  if (cursor === undefined) return query;
  if (skip > 0) throw badCursor('cannot be given together with skip');
  return { ...query, cursor: undefined, limit, skip: cursor === '' ? 0 : findOffset(served, query, cursor) };
}

/**
 * In another snapshot the list goes on after the last of the skills given that is still in it, or at its place where
 * none of them is.
 */
function findOffset(served: Served, query: ListQuery, text: string): number {
  const cursor = readCursor(text, query);
  if (isOfSnapshot(cursor, served.meta.id)) return cursor.position;
  const all = { ...query, facets: undefined, skip: 0, limit: undefined };
  const { rows } = served.search.find(toSearchQuery(served, all));
  for (const id of cursor.lastIds) {
    const row = served.skills.rowOf(id);
    const at = row === undefined ? -1 : rows.indexOf(row);
    if (at >= 0) return at + 1;
  }
  return cursor.position;
}

/** Searches. `query` has no cursor any more. */
export function findPage(served: Served, query: ListQuery): ListPage {
  const { skip, limit, fields } = query;
  const { rows, total, facets } = isPartOfList(query)
    ? partOfList(served.skills.count, query)
    : served.search.find(toSearchQuery(served, query));
  const facetsJson = query.facets && JSON.stringify(facets ?? {});
  const bytes = rows.byteLength + (facetsJson?.length ?? 0) + PAGE_BYTES;
  const skills = digestOfRows(served.identities.fingerprints, rows);
  const digest = facetsJson || fields ? digestOf(`${skills} ${fields} ${facetsJson}`) : skills;
  return { skip, limit, total, rows, facetsJson, fields, digest, bytes };
}

const PAGE_BYTES = 500;

/** Rows are numbered in the order of the list: what would go through all of them is counted. */
function partOfList(total: number, { skip, limit = total }: ListQuery): Found {
  const first = Math.min(skip, total);
  const rows = new Uint32Array(Math.min(limit, total - first));
  for (let at = 0; at < rows.length; at++) rows[at] = first + at;
  return { total, rows };
}

function digestOfRows(fingerprints: Float64Array, rows: Uint32Array): string {
  const ofPage = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) ofPage[at] = fingerprints[rows[at] as number] as number;
  return hash('sha256', ofPage).slice(0, 32);
}

function toSearchQuery(served: Served, query: ListQuery): SearchQuery {
  const { category, updated_since, fields, cursor, ...same } = query;
  return {
    ...same,
    category: category && categoryIdOf(served.categories, category),
    updatedSince: updated_since,
  };
}
