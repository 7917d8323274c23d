import type { Found, SearchQuery } from '../../search/search-query.ts';
import { categoryIdOf } from '../categories.ts';
import { digestOf } from '../http/validators.ts';
import type { Kept } from '../response-cache.ts';
import type { Served } from '../served.ts';
import { badCursor, isOfSnapshot, MAX_LAST, readCursor, writeCursor } from './cursor.ts';
import type { PageBody } from './list-body.ts';
import type { CatalogueQuery, ListQuery } from './list-query.ts';

export const DEFAULT_CURSOR_LIMIT = 100;

/** A page of the list: everything that is known before its body is built. */
export interface ListPage extends Kept, Omit<PageBody, 'around'> {
  /** Number of matching skills before the page. */
  skip: number;
  /** Undefined without pages. */
  limit: number | undefined;
  total: number;
  /** Undefined without `facets`. */
  facetsJson: string | undefined;
  /** Of the array, for the `ETag`. */
  digest: string;
}

/** Whether the query requests the whole list, unchanged. */
export function isWholeList(query: ListQuery): boolean {
  return query.skip === 0 && query.limit === undefined && query.fields === undefined && isPartOfList(query);
}

/** These do not filter. */
const OF_A_PART: ReadonlySet<string> = new Set(['skip', 'limit', 'fields', 'sort', 'order']);

/** Whether the query requests all skills in the order of the list. */
function isPartOfList(query: CatalogueQuery): boolean {
  if (query.order === 'desc' || (query.sort !== undefined && query.sort !== 'name')) return false;
  for (const name in query) {
    if (query[name as keyof CatalogueQuery] !== undefined && !OF_A_PART.has(name)) return false;
  }
  return true;
}

/** Replaces the cursor of a query by `skip` and `limit`, so that equal pages share one cache entry. @throws 400 */
export function resolveCursor<Query extends ListQuery>(served: Served, query: Query): Query {
  const { cursor, skip, limit = DEFAULT_CURSOR_LIMIT } = query;
  if (cursor === undefined) return query;
  if (skip > 0) throw badCursor('cannot be given together with skip');
  return { ...query, cursor: undefined, limit, skip: cursor === '' ? 0 : findOffset(served, query, cursor) };
}

/** In a new snapshot, the list continues after the last returned skill that still exists, else at the old position. */
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

/** The cursor of the page that follows; null after the last. */
export function nextCursor(
  { meta, skills }: Served,
  query: ListQuery,
  { skip, rows, total }: Pick<ListPage, 'skip' | 'rows' | 'total'>,
): string | null {
  const position = skip + rows.length;
  if (rows.length === 0 || position >= total) return null;
  const lastIds = Array.from(rows.slice(-MAX_LAST).reverse(), (row) => skills.idAt(row));
  return writeCursor({ snapshotId: meta.id, position, lastIds }, query);
}

/** `query` has no cursor. */
export function findPage(served: Served, query: CatalogueQuery): ListPage {
  const { skip, limit, fields } = query;
  const { rows, total, facetsJson } = isPartOfList(query)
    ? partOfList(served.counts.skills, query)
    : served.search.find(toSearchQuery(served, query));
  const bytes = rows.byteLength + (facetsJson?.length ?? 0) + PAGE_BYTES;
  const skills = digestOfRows(served.identities.fingerprints, rows);
  const digest = fields ? digestOf(`${skills} ${fields}`) : skills;
  return { skip, limit, total, rows, facetsJson, fields, digest, bytes };
}

const PAGE_BYTES = 500;

/** Needs no search: rows are in the order of the list. */
function partOfList(total: number, { skip, limit = total }: ListQuery): Found {
  const first = Math.min(skip, total);
  const rows = new Uint32Array(Math.min(limit, total - first));
  for (let at = 0; at < rows.length; at++) rows[at] = first + at;
  return { total, rows };
}

function digestOfRows(fingerprints: Float64Array, rows: Uint32Array): string {
  const ofPage = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) ofPage[at] = fingerprints[rows[at]!]!;
  return digestOf(ofPage);
}

function toSearchQuery(served: Served, query: CatalogueQuery): SearchQuery {
  const { category, kind, updated_since, fields, cursor, ...same } = query;
  return {
    ...same,
    category: category && categoryIdOf(served.categoriesJson, category),
    kinds: kind,
    updatedSince: updated_since,
  };
}
