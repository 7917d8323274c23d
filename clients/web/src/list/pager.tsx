import { LinkButton } from '../components/button.tsx';
import { useAddress } from '../frame/address.ts';
import { toInteger } from '../requests/path.ts';
import { isBeyondEnd, type ListPage, rangeText } from './list-page.ts';

export interface PagerProps {
  /** Undefined while it is on its way. */
  page: Pick<ListPage<unknown>, 'total' | 'next'> | undefined;
  /** The most rows of a page. */
  limit: number;
  /** The parameter of the address with the index of the first row; with "after" in the place of "skip", a cursor. */
  skipName?: string;
  /** In the place of the range in lists that are not counted. */
  note?: string;
  /** Its name, where a page has several. */
  label?: string;
}

/** Lists that the API joins from several indexes are paged by cursors beyond this. */
const MAX_JOINED_SKIP = 1_000;

/** Which rows are shown, and links to the pages before and after. */
export function Pager({ page, limit, skipName = 'skip', note, label = 'Pages' }: PagerProps) {
  const { query, hrefOf } = useAddress();
  if (!page) return <p class="pager muted">&nbsp;</p>;
  const { total, next } = page;
  const skip = toInteger(query.get(skipName)) ?? 0;
  const afterName = skipName.replace('skip', 'after');
  const isCursor = query.has(afterName);
  const mayGoBack = total !== undefined && !isBeyondEnd(skip, total) && !(isCursor && skip - limit > MAX_JOINED_SKIP);
  const hrefAt = (at: number, after?: string) =>
    hrefOf({ [skipName]: total !== undefined && at > 0 ? String(at) : undefined, [afterName]: after });
  const hasNext = next !== undefined || (!isCursor && total !== undefined && skip + limit < total);
  return (
    <nav class="pager row" aria-label={label}>
      <p class="muted number" aria-live="polite">
        {total === undefined ? note : rangeText(skip, limit, total)}
      </p>
      <span class="row end">
        {(skip > 0 || isCursor) && (
          <LinkButton isSmall href={hrefAt(mayGoBack ? skip - limit : 0)}>
            {mayGoBack ? 'Previous' : 'First page'}
          </LinkButton>
        )}
        {hasNext && (
          <LinkButton isSmall href={hrefAt(Number(next?.skip ?? skip + limit), next?.after)}>
            Next
          </LinkButton>
        )}
      </span>
    </nav>
  );
}
