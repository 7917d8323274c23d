import { count } from '../text/numbers.ts';

/** Where a page of a list begins: after so many rows, or after the row with an id. */
interface PageStart {
  skip?: string;
  after?: string;
}

/** A page of a list. */
export interface ListPage<Row> {
  rows: readonly Row[];
  /** Of all pages; undefined for lists that are not counted, as those of a search. */
  total: number | undefined;
  /** As the response links it: a page may have fewer rows than its limit. */
  next: PageStart | undefined;
}

export function toListPage<Row>(
  { data, response }: { data: unknown; response: Response },
  isSearch = false,
): ListPage<Row> {
  const { headers } = response;
  return {
    rows: data as Row[],
    total: headers.has('x-total-count') && !isSearch ? totalCount(response) : undefined,
    next: nextStart(headers.get('link')),
  };
}

/** How many rows there are on all pages. */
export function totalCount({ headers }: Response): number {
  return Number(headers.get('x-total-count'));
}

function nextStart(link: string | null): PageStart | undefined {
  const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  const query = new URL(target, 'http://localhost').searchParams;
  return { skip: query.get('skip') ?? undefined, after: query.get('after') ?? undefined };
}

/** Whether there is no row at `skip` although there are others. */
export function isBeyondEnd(skip: number, total: number): boolean {
  return skip > 0 && skip >= total;
}

/** Which rows of how many are shown. `skip`: index of the first, from 0. */
export function rangeText(skip: number, limit: number, total: number): string {
  if (total === 0) return 'None';
  if (isBeyondEnd(skip, total)) return `None on this page, ${count(total)} in all`;
  return `${count(skip + 1)}–${count(Math.min(skip + limit, total))} of ${count(total)}`;
}
